//! A source of the listing as a source of the folder.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sluice_api::ComponentFiles;
use sluice_code::{Language, detect_language};
use sluice_model::unique_slug;

use super::{
    accounts::{AccountName, Accounts, AppHint, account_id, app_of_key},
    components::{Declarations, Found, Origin},
    listings::SourceRow,
    masked::is_masked,
    names::Names,
    report::{Kind, Report},
};
use crate::commands::{
    code::Code,
    snapshot::{
        folder::{Folder, Runs, Source},
        from_account::entry_path,
        ids::source_name,
        names::{component_stem, source_secret},
        references::literal,
    },
};

/// Adds a source, or reports the reason why it is missing.
pub(super) fn add(
    folder: &mut Folder,
    source: &SourceRow,
    component: Found,
    names: &Names<'_>,
    accounts: &mut Accounts<'_>,
    report: &mut Report,
) {
    let Some(slug) = names.source(&source.id) else {
        return;
    };
    let place = source_name(slug);
    let Found { origin, props } = component;
    let key = key_of(&origin);
    let Some(runs) = runs(&mut folder.components, origin) else {
        let text = "the API gives neither the key nor the code of its component: save the code as a file, and deploy it with `sluice deploy`";
        report.add(Kind::NotImported, &place, text);
        return;
    };
    if let Runs::Registry(key) = &runs {
        report.uses_registry(key, &place);
    }
    let mut values = SourceProps {
        slug,
        place: &place,
        app: key.as_deref().and_then(app_of_key),
        declared: &props,
        accounts,
        report,
    };
    let configured = source.configured_props.iter().flatten();
    let props: Map<String, Value> = configured
        .filter_map(|(name, value)| Some((name.clone(), values.value(name, value)?)))
        .collect();
    let source = Source {
        name: source.shown_name(),
        runs,
        active: source.active.unwrap_or(true),
        props,
        retention: None,
    };
    folder.sources.insert(slug.to_owned(), source);
}

fn key_of(origin: &Origin) -> Option<String> {
    match origin {
        Origin::Registry(key) => Some(key.clone()),
        Origin::Code { key, .. } => key.clone(),
        Origin::Unknown => None,
    }
}

/// The code of a source. Code is added to the components of the folder, once.
pub(super) fn runs(components: &mut BTreeMap<String, Code>, origin: Origin) -> Option<Runs> {
    let (key, name, text) = match origin {
        Origin::Registry(key) => return Some(Runs::Registry(key)),
        Origin::Code { key, name, code } => (key, name, code),
        Origin::Unknown => return None,
    };
    let known = components.iter().find(|(_, known)| known.text == text);
    let (stem, code) = if let Some((stem, code)) = known {
        (stem.clone(), code.clone())
    } else {
        let stem = component_stem(key.as_deref(), &name);
        let stem = unique_slug(&stem, |taken| components.contains_key(taken));
        let code = code_of(&stem, text);
        components.insert(stem.clone(), code.clone());
        (stem, code)
    };
    Some(Runs::File {
        path: entry_path(&format!("components/{stem}"), &code),
        code,
    })
}

/// TypeScript needs a file name that says so.
fn code_of(stem: &str, text: String) -> Code {
    let files = match detect_language(&text) {
        Language::JavaScript => None,
        Language::TypeScript => Some(ComponentFiles {
            path: format!("{stem}.ts"),
            files: BTreeMap::new(),
        }),
    };
    Code { text, files }
}

struct SourceProps<'a, 'b> {
    slug: &'a str,
    place: &'a str,
    /// The app of the component, if its key says so.
    app: Option<&'a str>,
    declared: &'a Declarations,
    accounts: &'a mut Accounts<'b>,
    report: &'a mut Report,
}

impl SourceProps<'_, '_> {
    /// The value in the folder. None for values that the server sets.
    fn value(&mut self, name: &str, value: &Value) -> Option<Value> {
        if value.is_null() {
            return None;
        }
        if let Some(url) = value.get("endpoint_url").and_then(Value::as_str) {
            self.report.endpoint(self.place, url);
            return None;
        }
        match self.declared.type_of(name) {
            Some("$.interface.http" | "$.service.db" | "dir" | "alert") => return None,
            Some("$.interface.apphook") => {
                let text = "it receives events through Pipedream's app for this service, which only Pipedream can receive: use a source that polls, or one with its own webhook";
                self.report.add(Kind::NoEquivalent, self.place, text);
                return None;
            }
            _ => {}
        }
        if value.get("type") == Some(&json!("$.service.db")) {
            return None;
        }
        if let Some(id) = account_id(value) {
            let app = AppHint {
                of_component: self.declared.app_of(name).or(self.app),
                prop: name,
            };
            let AccountName { name, app } = self.accounts.of_source(id, app, self.place);
            return Some(json!({ "account": name, "app": app }));
        }
        if is_masked(value) || self.declared.is_secret(name) {
            let secret = source_secret(self.slug, name);
            let user = format!("{}, prop {name}", self.place);
            self.report.secret(&secret, &user);
            return Some(json!({ "secret": secret }));
        }
        if let Some(store) = value.get("storeId").and_then(Value::as_str) {
            self.report.data_store(self.place, store);
            return Some(json!(store));
        }
        Some(literal(value))
    }
}
