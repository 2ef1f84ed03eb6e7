// What every control of the form is given.
import type { PropForm } from '../form.svelte';
import type { Prop } from '../prop';

export type FieldProps = {
  form: PropForm;
  prop: Prop;
  /** Of the control, for its label. */
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
};
