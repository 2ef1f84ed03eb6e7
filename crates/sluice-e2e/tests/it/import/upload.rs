//! Imports by request: an archive, and the lines of the response.

use serde_json::Value;
use sluice_testkit::{Answer, Api, Archive, Method};

pub(super) const IMPORTS: &str = "/components/registry/imports";

/// An archive to import.
pub(crate) struct Upload {
    query: String,
    archive: Vec<u8>,
}

impl Upload {
    pub(crate) fn new(tree: &str, files: &[(&str, &str)]) -> Upload {
        let mut archive = Archive::compressed();
        for (path, text) in files {
            archive = archive.file(path, text.as_bytes());
        }
        Upload::of(tree, archive.finish())
    }

    pub(super) fn of(tree: &str, archive: Vec<u8>) -> Upload {
        Upload {
            query: format!("tree={tree}"),
            archive,
        }
    }

    /// Adds a parameter, such as `mode=check`.
    pub(super) fn with(mut self, parameter: &str) -> Upload {
        self.query = format!("{}&{parameter}", self.query);
        self
    }

    /// Sends the archive and expects an import that ends.
    pub(crate) async fn send(self, api: &Api) -> Imported {
        let answer = self.request(api).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let lines = answer.text.lines().filter(|line| !line.is_empty());
        let steps = lines.map(|line| serde_json::from_str(line).expect("a line is JSON"));
        Imported {
            steps: steps.collect(),
        }
    }

    pub(super) async fn request(self, api: &Api) -> Answer {
        let path = format!("{IMPORTS}?{}", self.query);
        let request = api.request(Method::POST, &path);
        request.body(self.archive).send().await
    }
}

/// The steps of an import.
#[derive(Debug)]
pub(crate) struct Imported {
    pub(super) steps: Vec<Value>,
}

impl Imported {
    /// The results of all components, in order.
    pub(crate) fn components(&self) -> Vec<&Value> {
        let steps = self.steps_of("components");
        steps
            .flat_map(|step| step["components"].as_array().expect("a list"))
            .collect()
    }

    pub(super) fn first(&self, name: &str) -> &Value {
        let mut steps = self.steps_of(name);
        steps.next().expect("the import has this step")
    }

    fn steps_of(&self, name: &str) -> impl Iterator<Item = &Value> {
        self.steps.iter().filter(move |step| step["step"] == name)
    }
}
