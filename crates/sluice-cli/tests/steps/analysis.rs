//! What is told of a step's code when it is saved.

use sluice_code::{CodeTree, parse_step};
use sluice_model::{ComponentKind, ComponentShape, ModuleFormat};
use sluice_runtime::{LoadError, Role};

use crate::support::runtime;

async fn analyze(code: &str, role: Role<'_>) -> Result<ComponentShape, Vec<String>> {
    let module = parse_step(code, None).expect("it parses");
    match runtime()
        .analyze(&CodeTree::single(module), role, &None)
        .await
    {
        Ok(analysis) => Ok(analysis.shape),
        Err(LoadError::Code(faults)) => {
            Err(faults.into_iter().map(|fault| fault.message).collect())
        }
        Err(other) => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_step_needs_neither_name_nor_version_and_is_an_action() {
    for code in [
        "export default defineComponent({ props: { a: { type: 'string' } }, run() {} })",
        "export default async (event) => 1",
    ] {
        let shape = analyze(code, Role::Step("filter"))
            .await
            .expect("it is sound");
        assert_eq!(
            (shape.name.as_str(), shape.kind),
            ("filter", ComponentKind::Action)
        );
        assert_eq!(shape.format, ModuleFormat::EsModule);
        assert!(shape.has_run);
    }
    let shape = analyze(
        "module.exports = { name: 'Own', version: '2', type: 'action', run() {}, props: { a: 'string' } }",
        Role::Step("filter"),
    )
    .await
    .expect("it is sound");
    assert_eq!(
        (
            shape.name.as_str(),
            shape.version.as_str(),
            shape.props.len()
        ),
        ("Own", "2", 1)
    );
}

#[tokio::test]
async fn a_step_must_run() {
    assert_eq!(
        analyze("export default {}", Role::Step("a"))
            .await
            .unwrap_err(),
        ["run is required"]
    );
    assert_eq!(
        analyze("export const x = 1", Role::Step("a"))
            .await
            .unwrap_err(),
        ["the module exports no component: use module.exports = {…} or export default {…}"]
    );
    assert_eq!(
        analyze(
            "export default { type: 'source', run() {} }",
            Role::Step("a")
        )
        .await
        .unwrap_err(),
        ["a source cannot be a step"]
    );
}

#[tokio::test]
async fn a_saved_component_is_no_function() {
    assert_eq!(
        analyze("export default async function (event) {}", Role::Component)
            .await
            .unwrap_err(),
        ["the module exports a function where a component object is expected"]
    );
}
