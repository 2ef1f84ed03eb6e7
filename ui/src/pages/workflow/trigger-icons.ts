// The icon of each kind of trigger.
import Clock from '@lucide/svelte/icons/clock';
import Globe from '@lucide/svelte/icons/globe';
import Hand from '@lucide/svelte/icons/hand';
import Radio from '@lucide/svelte/icons/radio';

export const triggerIcons = { http: Globe, schedule: Clock, events: Radio, manual: Hand };
