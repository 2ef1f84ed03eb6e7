// What the cards and lines of the map read: xyflow makes them, so it cannot be handed to them as properties.
import { createContext } from 'svelte';
import type { FlowNode } from '../../api/types';
import type { Route } from './graph';
import type { Moving } from './moving.svelte';

export type MapContext = {
  node: (id: string) => FlowNode | undefined;
  route: (id: string) => Route | undefined;
  moving: Moving;
};

export const [mapContext, setMapContext] = createContext<MapContext>();
