// The context of cards and edges. xyflow creates them, so they cannot get component properties.
import { createContext } from 'svelte';
import type { FlowNode } from '../../api/types';
import type { Route } from './graph';
import type { LiveRates } from './rates.svelte';

export type MapContext = {
  node: (id: string) => FlowNode | undefined;
  route: (id: string) => Route | undefined;
  rates: LiveRates;
};

export const [mapContext, setMapContext] = createContext<MapContext>();
