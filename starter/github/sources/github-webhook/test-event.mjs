export default {
  event: "issues",
  action: "opened",
  delivery: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  repository: "acme/things",
  organization: "acme",
  sender: "ada",
  payload: {
    action: "opened",
    issue: {
      number: 42,
      title: "The door does not close",
      state: "open",
      html_url: "https://github.com/acme/things/issues/42",
      user: { login: "ada" },
      body: "It stays open.",
    },
    repository: { full_name: "acme/things", html_url: "https://github.com/acme/things" },
    organization: { login: "acme" },
    sender: { login: "ada" },
  },
};
