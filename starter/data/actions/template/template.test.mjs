import assert from "node:assert/strict";
import test from "node:test";
import { run } from "sluice/test";
import component from "./template.mjs";

async function render(template, values, props = {}) {
  const { returned, error } = await run(component, { props: { template, values, ...props } });
  if (error) throw Object.assign(new Error(error.message), { name: error.name });
  return returned;
}

test("values, sections and lists", async () => {
  const order = {
    name: "Ada",
    items: [
      { title: "a", n: 1 },
      { title: "b", n: 2 },
    ],
    tags: ["x", "y"],
    none: [],
    total: { sum: 3 },
  };
  assert.equal(await render("Hello [[ name ]], [[total.sum]][[missing]]", order), "Hello Ada, 3");
  assert.equal(
    await render("[[# items ]][[ n ]] [[ title ]] for [[ name ]]; [[/ items ]]", order),
    "1 a for Ada; 2 b for Ada; ",
  );
  assert.equal(await render("[[#tags]][[.]],[[/tags]][[^none]]nothing[[/none]][[! note ]]", order), "x,y,nothing");
});

test("values are escaped for their format", async () => {
  const values = { a: '<b>"&\n', html: "<i>" };
  assert.equal(await render("[[a]] [[& html]]", values, { format: "html" }), "&lt;b&gt;&quot;&amp;\n <i>");
  assert.equal(
    await render('{"a": "[[a]]"}', values, { format: "json" }),
    JSON.stringify(values.a).replace(/^/, '{"a": ').concat("}"),
  );
  assert.equal(await render("[[a]]", values), values.a);
});

test("other delimiters", async () => {
  assert.equal(await render("{{ a }} [[ a ]]", { a: 1 }, { delimiters: "{{ }}" }), "1 [[ a ]]");
});

test("the event is the default", async () => {
  const { returned } = await run(component, { props: { template: "[[ body.n ]]" }, event: { body: { n: 5 } } });
  assert.equal(returned, "5");
});

test("templates reach own values only, and do not grow without end", async () => {
  assert.equal(await render("[[ constructor.name ]][[ a.__proto__ ]]", { a: {} }), "");
  const wide = { a: Array.from({ length: 2000 }, () => 1) };
  await assert.rejects(render(`[[#a]][[#a]]${"x".repeat(100)}[[/a]][[/a]]`, wide), /longer than/);
  await assert.rejects(render("[[#a]]", wide), /The section a is not closed/);
  await assert.rejects(render("[[/a]]", wide), /is closed, but not open/);
  await assert.rejects(render("[[a", wide), /A tag is not closed/);
});
