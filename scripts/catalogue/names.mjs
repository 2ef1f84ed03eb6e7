// Titles of apps and labels of fields, derived from slugs and field names.

const DOMAINS = new Set(["cc", "co", "com", "fm", "io", "ly", "pl", "sh", "so"]);

// The key under which names are compared: lower case, letters and digits only.
export function normalise(name) {
  return name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll("&", "and")
    .replaceAll("+", "plus")
    .replace(/[^a-z0-9]/g, "");
}

// A slug without the endings that tell variants of an app apart, longest first: `airtable_oauth` also gives `airtable`.
export function withoutEndings(slug, endings) {
  const forms = [slug];
  for (let form = slug; ; forms.push(form)) {
    const ending = endings.find((end) => form.endsWith(`_${end}`) && form.length > end.length + 1);
    if (!ending) return forms;
    form = form.slice(0, -ending.length - 1);
  }
}

function titleOfWord(word, words) {
  return words[word] ?? word.charAt(0).toUpperCase() + word.slice(1);
}

// A last word such as `io` is the ending of a host name: `gender_io` becomes "Gender.io".
function titleByRule(slug, words) {
  const parts = slug.split("_").filter(Boolean);
  const domain = parts.length > 1 && DOMAINS.has(parts.at(-1)) ? `.${parts.pop()}` : "";
  return parts.map((word) => titleOfWord(word, words)).join(" ") + domain;
}

// Titles in order of preference: the override, a listed title, the title of an icon with the same name, the rule.
export function createTitles({ titles, words, variants }, iconTitleOf) {
  const listed = new Map(titles.map((title) => [normalise(title), title]));
  const known = (slug) => listed.get(normalise(slug)) ?? iconTitleOf(slug);

  return function titleOf(slug) {
    const exact = known(slug);
    if (exact) return exact;
    const variant = Object.keys(variants).find((ending) => slug.endsWith(`_${ending}`));
    if (!variant) return titleByRule(slug, words);
    const base = slug.slice(0, -variant.length - 1);
    return `${known(base) ?? titleByRule(base, words)} (${variants[variant]})`;
  };
}

// `accountSid` and `account_sid` become "Account SID".
export function labelOf(field, words) {
  const parts = field
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split("_")
    .filter(Boolean);
  const label = parts.map((part) => words[part] ?? part).join(" ");
  return label.charAt(0).toUpperCase() + label.slice(1);
}
