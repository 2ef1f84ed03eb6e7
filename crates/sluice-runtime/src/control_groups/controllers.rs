//! The controllers that limit accounts.

use std::{fmt, fs, path::Path};

use super::own_group;

/// Those of the three controllers that a group has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Controllers {
    pub cpu: bool,
    pub memory: bool,
    pub pids: bool,
}

impl Controllers {
    pub(super) fn parse(text: &str) -> Controllers {
        let has = |name| text.split_whitespace().any(|word| word == name);
        Controllers {
            cpu: has("cpu"),
            memory: has("memory"),
            pids: has("pids"),
        }
    }

    /// Those that the group in `folder` can pass on.
    pub(super) fn of(folder: &Path) -> Controllers {
        let text = fs::read_to_string(folder.join("cgroup.controllers"));
        Controllers::parse(&text.unwrap_or_default())
    }

    pub fn is_complete(self) -> bool {
        self.cpu && self.memory && self.pids
    }

    pub(super) fn is_empty(self) -> bool {
        self == Controllers::default()
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.cpu, "cpu"),
            (self.memory, "memory"),
            (self.pids, "pids"),
        ];
        all.into_iter()
            .filter_map(|(has, name)| has.then_some(name))
    }

    /// The text that enables them for the groups inside of one.
    pub(super) fn enabling(self) -> String {
        let names: Vec<String> = self.names().map(|name| format!("+{name}")).collect();
        names.join(" ")
    }
}

impl fmt::Display for Controllers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(", "))
    }
}

/// The controllers that this machine offers to groups of version 2.
pub fn offered_controllers() -> Controllers {
    own_group::mount().map_or_else(Controllers::default, |mount| Controllers::of(&mount.folder))
}
