/**
 * Runs in the browser, in a window with axe and the styles of the site: shows the content of a built page without its frame, and checks
 * it. Returns the violations by look.
 *
 * Contrast takes most of the time. Elements of the same tags and classes have the same colours on all pages, because the content
 * security policy allows no inline styles. So the contrast of each such path is checked where it first appears.
 */
export async function contentViolations(html) {
  const CONTENT = "VPContent";
  const FRAME = ".VPNav, .VPLocalNav, .VPSidebar, .VPSkipLink";
  const CONTRAST = "color-contrast";

  /** The tags and classes of an element and of what is around it. Every second row of a table has another background. */
  const pathOf = (element) => {
    const parts = [];
    for (let it = element; it && it.id !== CONTENT; it = it.parentElement) {
      const isEven = it.matches("tr:nth-child(2n)");
      parts.push(`${it.localName}.${it.className}${isEven ? ":even" : ""}`);
    }
    return parts.join(" ");
  };
  const hasText = (element) => [...element.childNodes].some((it) => it.nodeType === Node.TEXT_NODE && it.data.trim());

  const root = document.documentElement;
  root.classList.remove("dark");
  for (const part of document.querySelectorAll(FRAME)) part.remove();
  const built = new DOMParser().parseFromString(html, "text/html");
  document.title = built.title;
  document.getElementById(CONTENT).replaceWith(document.adoptNode(built.getElementById(CONTENT)));
  const content = document.getElementById(CONTENT);

  window.checkedPaths ??= new Set();
  const fresh = [...content.querySelectorAll("*")].filter((element) => {
    if (!hasText(element)) return false;
    const path = pathOf(element);
    return !window.checkedPaths.has(path) && window.checkedPaths.add(path);
  });
  const options = { resultTypes: ["violations"] };
  const check = async (context, more) => (await window.axe.run(context, { ...options, ...more })).violations;
  const contrast = () => (fresh.length > 0 ? check({ include: fresh }, { runOnly: [CONTRAST] }) : []);

  const light = [...(await check(content, { rules: { [CONTRAST]: { enabled: false } } })), ...(await contrast())];
  root.classList.add("dark");
  return { light, dark: await contrast() };
}
