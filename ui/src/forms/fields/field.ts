// The properties of all form controls.
import type { PropForm } from '../form.svelte';
import type { Prop } from '../prop';

export type FieldProps = {
  form: PropForm;
  prop: Prop;
  /** The id of the control, for its label. */
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
};
