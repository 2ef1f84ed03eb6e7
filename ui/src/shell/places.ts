// The main pages of the console, for the sidebar and the palette.
import Activity from '@lucide/svelte/icons/activity';
import Blocks from '@lucide/svelte/icons/blocks';
import Bot from '@lucide/svelte/icons/bot';
import Gauge from '@lucide/svelte/icons/gauge';
import KeyRound from '@lucide/svelte/icons/key-round';
import Radio from '@lucide/svelte/icons/radio';
import ScrollText from '@lucide/svelte/icons/scroll-text';
import Send from '@lucide/svelte/icons/send';
import ServerIcon from '@lucide/svelte/icons/server';
import Settings from '@lucide/svelte/icons/settings';
import Users from '@lucide/svelte/icons/users';
import Waypoints from '@lucide/svelte/icons/waypoints';
import Workflow from '@lucide/svelte/icons/workflow';
import type { Component } from 'svelte';

type Icon = Component<{ size?: number; 'aria-hidden'?: 'true' }>;
export type Place = { href: string; name: string; icon: Icon; operator?: boolean };

export const places: Place[] = [
  { href: '/', name: 'Overview', icon: Gauge as Icon },
  { href: '/sources', name: 'Sources', icon: Radio as Icon },
  { href: '/workflows', name: 'Workflows', icon: Workflow as Icon },
  { href: '/webhooks', name: 'Webhooks', icon: Send as Icon },
  { href: '/deliveries', name: 'Deliveries', icon: Activity as Icon },
  { href: '/flow', name: 'Flow map', icon: Waypoints as Icon },
  { href: '/accounts', name: 'Accounts', icon: KeyRound as Icon },
  { href: '/apps', name: 'Apps', icon: Blocks as Icon },
  { href: '/agents', name: 'AI agents', icon: Bot as Icon },
  { href: '/users', name: 'Users', icon: Users as Icon, operator: true },
  { href: '/nodes', name: 'Nodes', icon: ServerIcon as Icon, operator: true },
  { href: '/audit', name: 'Audit log', icon: ScrollText as Icon },
  { href: '/settings', name: 'Settings', icon: Settings as Icon },
];

/** The main page that a path belongs to. */
export function placeOf(pathname: string): Place | undefined {
  return places.find(({ href }) =>
    href === '/' ? pathname === '/' : pathname === href || pathname.startsWith(`${href}/`),
  );
}
