//! The JavaScript harness, embedded in the binary and written out once per start.

use std::{fs, io, path::Path};

const FILES: [(&str, &str); 37] = [
    ("main.mjs", include_str!("../js/main.mjs")),
    ("wire.mjs", include_str!("../js/wire.mjs")),
    ("node.mjs", include_str!("../js/node.mjs")),
    ("context.mjs", include_str!("../js/context.mjs")),
    ("common_js.mjs", include_str!("../js/common_js.mjs")),
    ("errors.mjs", include_str!("../js/errors.mjs")),
    ("stdio.mjs", include_str!("../js/stdio.mjs")),
    ("globals.mjs", include_str!("../js/globals.mjs")),
    ("tenant.mjs", include_str!("../js/tenant.mjs")),
    ("modules.mjs", include_str!("../js/modules.mjs")),
    ("function_step.mjs", include_str!("../js/function_step.mjs")),
    ("step.mjs", include_str!("../js/step.mjs")),
    ("sends.mjs", include_str!("../js/sends.mjs")),
    ("reply.mjs", include_str!("../js/reply.mjs")),
    ("inputs.mjs", include_str!("../js/inputs.mjs")),
    ("expressions.mjs", include_str!("../js/expressions.mjs")),
    ("component.mjs", include_str!("../js/component.mjs")),
    ("shape.mjs", include_str!("../js/shape.mjs")),
    ("stand_ins.mjs", include_str!("../js/stand_ins.mjs")),
    ("survey.mjs", include_str!("../js/survey.mjs")),
    ("questions.mjs", include_str!("../js/questions.mjs")),
    ("store.mjs", include_str!("../js/store.mjs")),
    ("instance.mjs", include_str!("../js/instance.mjs")),
    ("invocation.mjs", include_str!("../js/invocation.mjs")),
    ("emit_meta.mjs", include_str!("../js/emit_meta.mjs")),
    ("texts.mjs", include_str!("../js/texts.mjs")),
    ("asks.mjs", include_str!("../js/asks.mjs")),
    ("keys.mjs", include_str!("../js/keys.mjs")),
    ("data_store.mjs", include_str!("../js/data_store.mjs")),
    ("http_request.mjs", include_str!("../js/http_request.mjs")),
    (TEST_SETUP, include_str!("../js/test_setup.mjs")),
    ("test_run.mjs", include_str!("../js/test_run.mjs")),
    ("test_report.mjs", include_str!("../js/test_report.mjs")),
    ("test_props.mjs", include_str!("../js/test_props.mjs")),
    ("test_store.mjs", include_str!("../js/test_store.mjs")),
    ("test_wire.mjs", include_str!("../js/test_wire.mjs")),
    (TEST_IMPORTS, include_str!("../js/test_imports.json")),
];

pub(crate) const ENTRY: &str = "main.mjs";
/// Loaded before a file of tests.
pub(crate) const TEST_SETUP: &str = "test_setup.mjs";
/// The import map of tests.
pub(crate) const TEST_IMPORTS: &str = "test_imports.json";

pub(crate) fn write_harness(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (name, content) in FILES {
        fs::write(folder.join(name), content)?;
    }
    Ok(())
}

/// Names and contents.
pub(crate) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.into_iter()
}
