//! Node-RED with its default settings: "http in", a function node, and "http response".
//!
//! It keeps nothing, because its context store is memory by default. In the second variant a "file" node appends each result
//! to a file before the response, which is the usual way to keep messages.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use serde_json::Value;

use super::{
    install::{Cache, Node, Package},
    program::{Kept, Place, Program},
};
use crate::settings::script;

const PACKAGE: Package = Package {
    name: "node-red",
    version: "5.0.7",
    scripts: &[],
    overrides: &[],
};
/// The file in the flow with the "file" node. It is relative to the folder that Node-RED starts in.
const RESULTS: &str = "orders.ndjson";
const FLOW: &str = "flows.json";

/// Where the result of the function node is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    Nowhere,
    File,
}

#[derive(Debug)]
pub(crate) struct NodeRed {
    node: Node,
    program: PathBuf,
    storage: Storage,
}

impl NodeRed {
    /// Installs it.
    pub(crate) async fn new(cache: &Cache, storage: Storage) -> anyhow::Result<Self> {
        let node = cache.node().await?;
        let folder = cache.package(&PACKAGE, &node).await?;
        let program = folder.join("node_modules/node-red/red.js");
        Ok(Self {
            node,
            program,
            storage,
        })
    }
}

impl Program for NodeRed {
    fn version(&self) -> &str {
        PACKAGE.version
    }

    async fn prepare(&self, folder: &Path) -> anyhow::Result<()> {
        let flow = match self.storage {
            Storage::Nowhere => "compare/node_red_flow.json",
            Storage::File => "compare/node_red_file_flow.json",
        };
        fs::copy(script(flow), folder.join(FLOW)).context("cannot copy the flow")?;
        Ok(())
    }

    fn command(&self, place: Place<'_>) -> Command {
        let mut command = Command::new(self.node.program());
        command
            .arg(&self.program)
            .arg("--userDir")
            .arg(place.folder)
            .args(["--port", &place.port.to_string()])
            .args(["--define", "uiHost=127.0.0.1"])
            .arg(FLOW)
            .current_dir(place.folder)
            .env("NODE_ENV", "production")
            .env("PATH", self.node.search_path());
        command
    }

    async fn deploy(&mut self, _place: Place<'_>) -> anyhow::Result<String> {
        Ok("/orders".to_owned())
    }

    /// The response is sent after the function node and the "file" node.
    async fn processed(&self, _place: Place<'_>) -> anyhow::Result<Option<u64>> {
        Ok(None)
    }

    async fn kept(&self, place: Place<'_>) -> anyhow::Result<Kept> {
        let processed = match self.storage {
            Storage::Nowhere => Vec::new(),
            Storage::File => ids_of(&fs::read_to_string(place.folder.join(RESULTS))?),
        };
        Ok(Kept {
            processed,
            ..Kept::default()
        })
    }
}

/// The ids in lines of JSON. A line that is cut off has none.
fn ids_of(lines: &str) -> Vec<String> {
    let results = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    results
        .filter_map(|result| Some(result["id"].as_str()?.to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_cut_off_is_no_result() {
        let lines = "{\"id\":\"ord_00001\",\"total\":5}\n{\"id\":\"ord_00002\",\"tot";
        assert_eq!(ids_of(lines), ["ord_00001"]);
    }

    #[test]
    fn the_flows_differ_in_the_file_node_only() {
        let read = |name| fs::read_to_string(script(name)).expect("the flow is there");
        let types = |name| {
            let flow: Vec<Value> = serde_json::from_str(&read(name)).expect("it is JSON");
            let types = flow
                .iter()
                .filter_map(|node| Some(node["type"].as_str()?.to_owned()));
            types.collect::<Vec<_>>()
        };
        let mut with_file = types("compare/node_red_file_flow.json");
        assert!(with_file.contains(&"file".to_owned()));
        with_file.retain(|kind| kind != "file");
        assert_eq!(with_file, types("compare/node_red_flow.json"));
        assert!(read("compare/node_red_file_flow.json").contains(RESULTS));
    }
}
