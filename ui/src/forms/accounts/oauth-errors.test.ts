import { expect, test } from 'vitest';
import type { App } from '../../api/types';
import { explain } from './oauth-errors';

const app: App = {
  id: 'app_1',
  name: 'Bakery',
  name_slug: 'bakery',
  auth_type: 'oauth',
  description: null,
  img_src: null,
  custom_fields_json: '[]',
  oauth: {
    is_ready: true,
    client_id: 'bakery-client',
    developer_url: null,
    scopes: ['bread', 'cake'],
    authorization_url: 'https://bakery.example/authorize',
    token_url: 'https://bakery.example/token',
    redirect_uri: 'https://sluice.example/oauth/callback',
  },
};
const rejected = (reason: string) => explain(`Bakery did not connect the account: ${reason}`, app);

test('the usual errors say what to change', () => {
  expect(rejected('redirect_uri_mismatch: The redirect_uri is wrong.')).toEqual({
    advice: expect.stringContaining('exactly https://sluice.example/oauth/callback'),
    ofClient: true,
  });
  expect(rejected('invalid_client')?.advice).toContain('Copy the client ID and the client secret again');
  expect(rejected('unauthorized_client')?.advice).toContain('authorization code grant');
  expect(rejected('invalid_scope: cake')?.advice).toContain('bread cake');
  expect(rejected('unsupported_response_type')?.advice).toContain('web application');
});

test('errors of the user and of the provider are not errors of the client', () => {
  expect(rejected('access_denied')?.ofClient).toBe(false);
  expect(rejected('temporarily_unavailable')?.ofClient).toBe(false);
});

test('an unknown error has no explanation', () => {
  expect(rejected('it answered 404 Not Found')).toBeUndefined();
  expect(rejected('oven_too_hot: wait')).toBeUndefined();
});
