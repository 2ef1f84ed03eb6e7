//! What real components need: `tree` holds components as people write them, in ES modules (`acme`), in CommonJS (`bolt`)
//! and in TypeScript (`crane`), which talk to a web API on loopback; smaller ones stand in the tests, in both module forms.
//!
//! | feature of components | where it is tried |
//! |---|---|
//! | ES modules, several files by relative import | [`several_files`], [`addresses`] |
//! | `@pipedream/platform` | `rare::row_the_platform…`, `app_code::point_14…`, [`several_files`] |
//! | `$.export` | [`actions`]; in sources `app_code::point_14…` |
//! | other npm packages | `packages::row_other_packages…` |
//! | `$emit`, `$.service.db`, `dedupe: unique` | [`emits`], `several_files::a_polling_source…` |
//! | timer, HTTP interface, hooks | [`timers`], [`requests`], `several_files::a_webhook_source…` |
//! | `additionalProps`, `reloadProps` | `forms::row_props_that_depend…` |
//! | files of another app | `several_files::row_files_of_another_app…` |
//! | files in the temporary folder, `dir` props | `rare::row_files…` |
//! | TypeScript | [`typescript`], `several_files` with `crane` |
//! | `process.env` | `packages::row_the_environment…` |
//! | `$.interface.apphook` | `rare::row_an_apphook…` |
//! | a version in the specifier | `packages::row_a_specifier…` |
//! | `dedupe: greatest`, `last` | `emits::row_dedupe…` |
//! | CommonJS | every test with a `Form`, `several_files` with `bolt` |
//! | `data_store`, `sql`, `http_request` props | `rare::row_a_data_store…` |
//! | sources without `run` | `timers::point_11…` |
//! | what packages ask of Deno at load | `packages::what_packages_ask…` |
//!
//! | what the code relies on | where it is tried |
//! |---|---|
//! | 1. methods are bound | `app_code::point_01…` |
//! | 2. hooks and methods are separate | `app_code::point_02…` |
//! | 3. composing by spreading | `app_code::point_03…` |
//! | 4. options | `forms::point_04…` |
//! | 5. defaults of required props | `forms::point_05…` |
//! | 6. headers, raw bodies and flat forms | `requests::point_06…`, `several_files::a_webhook_source…` |
//! | 7. `respond` | `requests::point_07…` |
//! | 8. `ts` of any kind | `emits::point_08…` |
//! | 9. `db` | `emits::point_09…` |
//! | 10. timers | `timers::point_10…` |
//! | 11. no `run` | `timers::point_11…` |
//! | 12. a `propDefinition` that names nothing | `forms::point_12…` |
//! | 13. keys of `$auth` | `app_code::point_13…` |
//! | 14. `this` for `$` | `app_code::point_14…` |

mod acme_api;
mod actions;
mod addresses;
mod app_code;
mod emits;
mod forms;
mod loopback;
mod packages;
mod rare;
mod requests;
mod sent_files;
mod several_files;
mod stage;
mod timers;
mod typescript;

use crate::support::Form;

impl Form {
    /// Takes names out of a package.
    fn import(self, names: &str, package: &str) -> String {
        match self {
            Form::CommonJs => format!("const {{ {names} }} = require(\"{package}\");\n"),
            Form::EsModule => format!("import {{ {names} }} from \"{package}\";\n"),
        }
    }

    /// Takes what a package is as a whole.
    fn import_whole(self, name: &str, package: &str) -> String {
        match self {
            Form::CommonJs => format!("const {name} = require(\"{package}\");\n"),
            Form::EsModule => format!("import {name} from \"{package}\";\n"),
        }
    }
}
