//! Joins the reads of the files of a component.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{field_use::FieldUses, file_auth::FileAuth};

/// The credential fields that a component reads, by their owner.
#[derive(Debug, Clone, Default)]
pub struct AuthFields {
    /// By the slug of an app that the code defines.
    pub of_apps: BTreeMap<String, FieldUses>,
    /// By the name of a prop, or of a variable that may hold its value.
    pub by_name: BTreeMap<String, FieldUses>,
}

/// A file, and the locations of the files that it imports, by specifier.
pub(crate) struct FileReads<'f> {
    pub(crate) location: &'f str,
    pub(crate) auth: &'f FileAuth,
    pub(crate) imports: &'f HashMap<String, String>,
}

impl AuthFields {
    pub(crate) fn of<'f>(files: impl IntoIterator<Item = FileReads<'f>>) -> AuthFields {
        let files = Files::new(files);
        let mut fields = AuthFields::default();
        for file in files.0.values() {
            for app in &file.auth.apps {
                let known = fields.of_apps.entry(app.slug.clone()).or_default();
                known.extend(&app.fields);
            }
            for (name, read) in &file.auth.by_name {
                fields.by_name.entry(name.clone()).or_default().extend(read);
            }
            files.add_imported(file, &mut fields);
        }
        fields
    }
}

struct Files<'f>(HashMap<&'f str, FileReads<'f>>);

impl<'f> Files<'f> {
    fn new(files: impl IntoIterator<Item = FileReads<'f>>) -> Files<'f> {
        let files = files.into_iter();
        Files(files.map(|file| (file.location, file)).collect())
    }

    /// Adds the reads of code that the apps of a file use: of the file itself, of files that it imports, and of objects that
    /// the apps spread.
    fn add_imported(&self, file: &FileReads<'f>, fields: &mut AuthFields) {
        if file.auth.apps.is_empty() {
            return;
        }
        let helpers = self.reads_of_helpers(file);
        for app in &file.auth.apps {
            let mut read = helpers.clone();
            let mut seen = HashSet::from([file.location]);
            self.add_spread(file, &app.spreads, &mut seen, &mut read);
            let known = fields.of_apps.entry(app.slug.clone()).or_default();
            known.extend(&read);
        }
    }

    /// The reads outside of apps, in a file and in those that it imports.
    fn reads_of_helpers(&self, file: &FileReads<'f>) -> FieldUses {
        let mut read = FieldUses::default();
        let mut seen = HashSet::new();
        let mut waiting = vec![file.location];
        while let Some(location) = waiting.pop() {
            let Some(file) = self.0.get(location).filter(|_| seen.insert(location)) else {
                continue;
            };
            read.extend(&file.auth.loose);
            for of_name in file.auth.by_name.values() {
                read.extend(of_name);
            }
            waiting.extend(file.imports.values().map(String::as_str));
        }
        read
    }

    /// Adds the reads of the apps that an app spreads, and of those that they spread.
    fn add_spread(
        &self,
        file: &FileReads<'f>,
        spreads: &[String],
        seen: &mut HashSet<&'f str>,
        read: &mut FieldUses,
    ) {
        let sources = spreads
            .iter()
            .filter_map(|name| file.auth.imported.get(name));
        let targets = sources.filter_map(|source| file.imports.get(source));
        for target in targets.filter_map(|target| self.0.get(target.as_str())) {
            if !seen.insert(target.location) {
                continue;
            }
            for app in &target.auth.apps {
                read.extend(&app.fields);
                self.add_spread(target, &app.spreads, seen, read);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, parse::parse};

    fn file_auth(code: &str) -> FileAuth {
        let parsed = parse(code, Some(Language::TypeScript), |parsed| {
            FileAuth::of(&parsed.program)
        });
        parsed.map(|(_, auth)| auth).unwrap_or_default()
    }

    /// Files that import each other by `./<location>`.
    fn fields_of(files: &[(&str, &str)]) -> AuthFields {
        let imports: HashMap<String, String> = files
            .iter()
            .map(|(location, _)| (format!("./{location}"), (*location).to_owned()))
            .collect();
        let auths: Vec<FileAuth> = files.iter().map(|(_, code)| file_auth(code)).collect();
        AuthFields::of(
            files
                .iter()
                .zip(&auths)
                .map(|((location, code), auth)| FileReads {
                    location,
                    auth,
                    imports: if code.contains("./") {
                        &imports
                    } else {
                        EMPTY.get_or_init(HashMap::new)
                    },
                }),
        )
    }

    static EMPTY: std::sync::OnceLock<HashMap<String, String>> = std::sync::OnceLock::new();

    /// The fields as one text; a `?` marks optional ones.
    fn text(fields: &FieldUses) -> String {
        let named = fields
            .iter()
            .map(|(name, is_optional)| format!("{name}{}", if is_optional { "?" } else { "" }));
        named.collect::<Vec<_>>().join(" ")
    }

    fn of_app(body: &str) -> String {
        let code =
            format!(r#"export default {{ type: "app", app: "acme", methods: {{ {body} }} }};"#);
        text(&fields_of(&[("a.mjs", &code)]).of_apps["acme"])
    }

    #[test]
    fn credentials_that_an_app_reads_are_listed() {
        let code = r#"
            const acme = { type: "app", app: "acme", methods: {
                headers() { return { key: this.$auth.api_key, other: this.$auth["x-token"], maybe: this.$auth?.region }; },
                more() { const { user, pass: secret, ...rest } = this.$auth; return [user, secret, rest.more]; },
            } };
            const bolt = { "type": "app", "app": "bolt", methods: {} };
            export default { props: { acme, bolt } };"#;
        let fields = fields_of(&[("a.mjs", code)]);
        assert_eq!(
            text(&fields.of_apps["acme"]),
            "api_key more pass region? user x-token"
        );
        assert!(fields.of_apps["bolt"].is_empty());
        assert!(fields.by_name.is_empty());
    }

    #[test]
    fn every_form_of_a_read_is_found() {
        for (body, expected) in [
            ("f() { const { $auth } = this; return $auth.a; }", "a"),
            (
                "f() { const { $auth: { a, b = 1 } } = this; return a + b; }",
                "a b?",
            ),
            ("f() { const auth = this.$auth; return auth.a; }", "a"),
            (
                "_auth() { return this.$auth; }, f() { return this._auth().a; }",
                "a",
            ),
            (
                "_auth() { return this.$auth; }, f() { const { a } = this._auth(); return a; }",
                "a",
            ),
            ("f() { let a; ({ a } = this.$auth); return a; }", "a"),
            (
                "f() { return (this.$auth as Auth).a + this.$auth!.b; }",
                "a b",
            ),
            ("f() { return g(({ $auth: { a } }) => a); }", "a"),
            ("f() { const { a } = this.$auth ?? {}; return a; }", "a"),
        ] {
            assert_eq!(of_app(body), expected, "{body}");
        }
    }

    #[test]
    fn a_field_that_code_can_do_without_is_optional() {
        for (body, expected) in [
            ("f() { return this.$auth.a || 'x'; }", "a?"),
            ("f() { return this.$auth.a ?? this.$auth.b; }", "a? b?"),
            ("f(o) { return o.a || this.$auth.a; }", "a"),
            ("f() { return this.$auth.a ? 1 : this.$auth.b; }", "a? b?"),
            (
                "f() { if (this.$auth.a === 'eu') return this.$auth.b; return this.$auth.c; }",
                "a? b? c",
            ),
            ("f() { return !!this.$auth.a && this.$auth.b; }", "a? b?"),
            ("f() { return Boolean(this.$auth.a); }", "a?"),
            ("f() { return this.$auth.a?.trim(); }", "a?"),
            ("f() { const { a = 'x' } = this.$auth; return a; }", "a?"),
            (
                "f() { const { host, ca, key } = this.$auth; return { host, ...(ca && { ca }), key: key || undefined }; }",
                "ca? host key?",
            ),
            (
                "f() { const token = this.$auth.a; if (token) use(token); }",
                "a?",
            ),
            (
                "f() { switch (this.$auth.env) { case 'x': return this.$auth.a; } }",
                "a? env?",
            ),
            ("f() { return `Bearer ${this.$auth.a}`; }", "a"),
            // Presence is tested in one method and relied on in another.
            (
                "f() { return this.$auth.a; }, g() { return this.$auth.a ? 1 : 2; }",
                "a?",
            ),
        ] {
            assert_eq!(of_app(body), expected, "{body}");
        }
    }

    #[test]
    fn credentials_that_a_component_reads_are_listed_by_prop() {
        let code = "module.exports = { run() { const { b } = this.acme.$auth; use(b); return this.acme.$auth.a + this.bolt?.$auth.c; } };";
        let fields = fields_of(&[("a.mjs", code)]);
        assert_eq!(text(&fields.by_name["acme"]), "a b");
        assert_eq!(text(&fields.by_name["bolt"]), "c");
    }

    #[test]
    fn an_app_reads_what_it_spreads() {
        let drive = r#"export default { type: "app", app: "drive", methods: { f() { return this.$auth.token; } } };"#;
        let sheets = r#"import drive from "./drive.mjs"; import only from "./only.mjs";
            export default { ...drive, app: "sheets", methods: { ...drive.methods, g() { return only; } } };"#;
        let only = r#"export default { type: "app", app: "only", methods: { f() { return this.$auth.other; } } };"#;
        let sandbox = r#"import sheets from "./sheets.mjs";
            export default { type: "app", app: "sandbox", methods: { ...sheets.methods } };"#;
        let fields = fields_of(&[
            ("sandbox.mjs", sandbox),
            ("sheets.mjs", sheets),
            ("drive.mjs", drive),
            ("only.mjs", only),
        ]);
        for app in ["drive", "sheets", "sandbox"] {
            assert_eq!(text(&fields.of_apps[app]), "token", "{app}");
        }
        assert_eq!(text(&fields.of_apps["only"]), "other");
    }

    #[test]
    fn an_app_reads_what_its_helpers_read() {
        let common = "module.exports = { methods: { f() { return this.$auth.token; } } };";
        let helper = "module.exports = { base(app) { return app.$auth.region || 'eu'; } };";
        let app = r#"const common = require("./common.js"); const helper = require("./helper.js");
            module.exports = { ...common, type: "app", app: "acme" };"#;
        let files = [
            ("app.js", app),
            ("common.js", common),
            ("helper.js", helper),
        ];
        assert_eq!(text(&fields_of(&files).of_apps["acme"]), "region? token");
    }
}
