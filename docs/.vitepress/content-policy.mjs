// The build step for the content security policy. The server sends with each page of the site:
//
//   Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;
//     connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none';
//     require-trusted-types-for 'script'; trusted-types vue
//
// No nonce and no hash is needed: inline scripts become files, and inline styles are an error of the build. Icons of the theme are
// `data:` images in its style sheet. Vue sets HTML that was compiled into the pages through its policy `vue`.
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "node-html-parser";

/** Styles of the theme that it sets again when the page is hydrated, in a way that the policy allows. */
const SET_AGAIN = / style="(?:--vp-vh:0px;)?"/g;
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g;

/** The page with its inline scripts as files. They still run before the page is painted. */
export function moveInlineScripts(html, { base, outDir }) {
  const moved = html.replaceAll(INLINE_SCRIPT, (_, attributes, code) => {
    const name = `assets/inline.${createHash("sha256").update(code).digest("base64url").slice(0, 8)}.js`;
    const file = join(outDir, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return `<script src="${base}${name}"${attributes}></script>`;
  });
  const clean = moved.replaceAll(SET_AGAIN, "");
  const blocked = parse(clean).querySelectorAll("*").find(isBlocked);
  if (blocked !== undefined)
    throw new Error(`the content security policy blocks <${blocked.rawTagName} ${blocked.rawAttrs}>`);
  return clean;
}

const isBlocked = ({ rawTagName, attributes }) =>
  rawTagName === "style" || Object.keys(attributes).some((name) => name === "style" || name.startsWith("on"));
