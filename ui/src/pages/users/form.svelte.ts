// The fields of a user that can be changed.
import { ApiError } from '../../api/errors';
import { errorsByField } from '../../api/field-errors';

/** The form that the server requires. */
const MAIL_ADDRESS = /^[^\s@<>,;:"\\()]+@[^\s@<>,;:"\\()]+$/;

export class UserForm {
  username = $state('');
  email = $state('');
  errors = $state<Record<string, string>>({});

  constructor({ username, email }: { username: string; email: string }) {
    this.username = username;
    this.email = email;
  }

  get body() {
    return { username: this.username.trim(), email: this.email.trim() };
  }

  validate(): boolean {
    const errors: Record<string, string> = {};
    if (this.username.trim() === '') errors.username = 'Enter a name.';
    if (!MAIL_ADDRESS.test(this.email.trim())) errors.email = 'Enter an email address.';
    this.errors = errors;
    return Object.keys(errors).length === 0;
  }

  /** `other` is true if a conflict can have another reason than a username that is already taken. */
  showErrors(error: unknown, other = false) {
    const conflict = error instanceof ApiError && error.status === 409 && !other;
    this.errors = conflict ? { username: error.message } : errorsByField(error, ['username', 'email']);
  }
}
