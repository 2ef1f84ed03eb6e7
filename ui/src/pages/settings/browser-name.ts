// Names of browsers.

/** Browser and system of a user agent, in a few words. Unknown ones are shown as they are. */
export function browserName(userAgent: string): string {
  const names: [RegExp, string][] = [
    [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
    [/\b(?:OPR|Opera)\//, 'Opera'],
    [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
    [/\b(?:HeadlessChrome|Chrome|CriOS)\//, 'Chrome'],
    [/\bVersion\/.*\bSafari\//, 'Safari'],
  ];
  const systems: [RegExp, string][] = [
    [/\b(?:iPhone|iPad)\b/, 'iOS'],
    [/\bAndroid\b/, 'Android'],
    [/\bWindows\b/, 'Windows'],
    [/\bMac OS X\b/, 'macOS'],
    [/\bLinux\b/, 'Linux'],
  ];
  const name = names.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (!name) return userAgent || 'Unknown browser';
  return system ? `${name} on ${system}` : name;
}
