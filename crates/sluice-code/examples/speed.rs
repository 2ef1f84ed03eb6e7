//! Measures the linking of a component of five files: `cargo run --release -p sluice-code --example speed`.

use std::{fmt::Write as _, fs, path::Path, time::Instant};

use sluice_code::{LinkOptions, LocalFiles, Location, link};

const COMPONENTS: u32 = 200;

/// The files of each component, beside its app, as components of real life look.
const FILES: [(&str, &str); 4] = [
    (
        "new.mjs",
        "import base from './common/base.mjs';
         import { clean } from './common/utils.mjs';
         export default { ...base, name: 'New', version: '0.0.1', async run() { this.emit({ id: clean(1) }) } };",
    ),
    (
        "common/base.mjs",
        "import app from '../app.mjs';
         export default { props: { app, db: '$.service.db' }, methods: { emit(e) { this.$emit(e, { id: e.id }) } } };",
    ),
    (
        "common/utils.mjs",
        "import { LIMIT } from './constants.mjs';
         export const clean = (x) => String(x).slice(0, LIMIT);",
    ),
    (
        "common/constants.mjs",
        "export const LIMIT = 100; export default { LIMIT };",
    ),
];

#[tokio::main]
async fn main() {
    let tree = tempfile::tempdir().expect("a temporary folder can be made");
    for number in 0..COMPONENTS {
        write_component(&tree.path().join(number.to_string()));
    }
    let files = LocalFiles::new(tree.path()).expect("the tree exists");
    let start = Instant::now();
    let mut bytes = 0;
    for number in 0..COMPONENTS {
        let entry = Location::new(format!("{number}/new.mjs"));
        let tree = link(&entry, files.clone(), LinkOptions::default())
            .await
            .expect("it can be linked");
        bytes += tree
            .to_files()
            .all()
            .map(|file| file.text.len())
            .sum::<usize>();
    }
    let each = start.elapsed() / COMPONENTS;
    eprintln!("{COMPONENTS} components of five files, {bytes} bytes: {each:?} each");
}

fn write_component(folder: &Path) {
    fs::create_dir_all(folder.join("common")).expect("a folder can be made");
    for (path, text) in FILES {
        fs::write(folder.join(path), text).expect("a file can be written");
    }
    fs::write(folder.join("app.mjs"), app()).expect("a file can be written");
}

/// An app with forty methods.
fn app() -> String {
    let mut code = "import { axios } from '@pipedream/platform';
        import { clean } from './common/utils.mjs';
        export default { type: 'app', app: 'acme', methods: {"
        .to_owned();
    for method in 0..40 {
        let _ = writeln!(
            code,
            "async method{method}($ = this, {{ id, ...args }} = {{}}) {{
                const items = [];
                for (const item of args.items ?? []) {{ items.push(clean(item)); }}
                return axios($, {{ url: `https://example.com/${{id}}/{method}`, ...args, data: {{ items }} }});
            }},"
        );
    }
    code + "} };\n"
}
