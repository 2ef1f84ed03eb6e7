//! A generated tree of components, like a large repository: apps with sources and actions in all module forms, shared files,
//! and some invalid components.

mod apps;
mod broken;
mod forms;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

pub use broken::Flaw;

use forms::Form;

const IN_ONE_APP: usize = 10;
/// Each takes an import some seconds.
const MOST_LOOPS: usize = 2;

/// The plan of a tree. Each app has ten components.
#[derive(Debug, Clone, Copy)]
pub struct TreePlan {
    pub apps: usize,
    /// One of this many components is broken, with alternating flaws.
    pub broken_one_in: usize,
}

/// A tree on disk.
#[derive(Debug)]
pub struct ComponentTree {
    pub root: PathBuf,
    /// By their paths in the tree.
    pub components: BTreeMap<String, PlantedComponent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantedComponent {
    pub app: String,
    pub key: String,
    pub version: String,
    pub flaw: Option<Flaw>,
}

impl ComponentTree {
    /// Writes the tree into a folder.
    pub fn write(root: &Path, plan: TreePlan) -> ComponentTree {
        let mut tree = ComponentTree {
            root: root.to_owned(),
            components: BTreeMap::new(),
        };
        let mut flaws = broken::in_turn(MOST_LOOPS);
        for number in 0..plan.apps {
            let app = app_name(number);
            for (path, text) in apps::files(&app) {
                tree.put(&format!("{app}/{path}"), &text);
            }
            for place in 0..IN_ONE_APP {
                let count = number * IN_ONE_APP + place + 1;
                let flaw = if count.is_multiple_of(plan.broken_one_in) {
                    flaws.next()
                } else {
                    None
                };
                let next = app_name((number + 1) % plan.apps);
                tree.plant(&app, &next, place, flaw);
            }
        }
        tree
    }

    /// Writes a file of the tree.
    pub fn put(&self, path: &str, text: &str) {
        let file = self.root.join(path);
        let folder = file.parent().expect("a file has a folder");
        fs::create_dir_all(folder).expect("a folder can be made");
        fs::write(&file, text).expect("a file can be written");
    }

    /// The paths of components with this flaw, or of the valid ones.
    pub fn paths(&self, flaw: Option<Flaw>) -> Vec<&str> {
        let components = self.components.iter();
        components
            .filter(|(_, planted)| planted.flaw == flaw)
            .map(|(path, _)| path.as_str())
            .collect()
    }

    pub fn broken(&self) -> usize {
        let planted = self.components.values();
        planted.filter(|planted| planted.flaw.is_some()).count()
    }

    fn plant(&mut self, app: &str, next_app: &str, place: usize, flaw: Option<Flaw>) {
        let form = Form::ALL[place];
        let name = form.name();
        // The first component of an app has its key, whatever comes later.
        let is_first = name == Form::FIRST.name();
        let flaw = flaw.filter(|flaw| !(is_first && *flaw == Flaw::KeyTakenAlready));
        let planted = PlantedComponent {
            app: app.to_owned(),
            key: match flaw {
                Some(Flaw::BadKey) => format!("{app} {name}"),
                Some(Flaw::KeyTakenAlready) => format!("{app}-{}", Form::FIRST.name()),
                _ => format!("{app}-{name}"),
            },
            version: format!("0.{place}.1"),
            flaw,
        };
        let folder = format!("{app}/{}/{name}", form.folder());
        let filled = |text: &str| {
            text.replace("$NEXT", next_app)
                .replace("$APP", app)
                .replace("$KEY", &planted.key)
                .replace("$NAME", name)
                .replace("$VERSION", &planted.version)
        };
        let (file, text) = match flaw {
            None => (form.file_name(), form.text().to_owned()),
            Some(flaw) => (format!("{name}.mjs"), flaw.text()),
        };
        for (beside, text) in form.beside() {
            self.put(&format!("{folder}/{beside}"), &filled(text));
        }
        let path = format!("{folder}/{file}");
        self.put(&path, &filled(&text));
        self.components.insert(path, planted);
    }
}

fn app_name(number: usize) -> String {
    format!("service_{number:03}")
}
