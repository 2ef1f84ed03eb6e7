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

test('the usual errors say what to change', () => {
  expect(explain('redirect_uri_mismatch', app)).toEqual({
    advice: expect.stringContaining('exactly https://sluice.example/oauth/callback'),
    ofClient: true,
  });
  expect(explain('invalid_client', app)?.advice).toContain('Copy the client ID and the client secret again');
  expect(explain('unauthorized_client', app)?.advice).toContain('authorization code grant');
  expect(explain('invalid_scope', app)?.advice).toContain('bread cake');
  expect(explain('unsupported_response_type', app)?.advice).toContain('web application');
});

test('errors of the user and of the provider are not errors of the client', () => {
  expect(explain('access_denied', app)?.ofClient).toBe(false);
  expect(explain('temporarily_unavailable', app)?.ofClient).toBe(false);
});

test('other errors have no explanation', () => {
  expect(explain('provider_error', app)).toBeUndefined();
  expect(explain(undefined, app)).toBeUndefined();
});
