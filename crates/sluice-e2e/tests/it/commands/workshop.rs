//! A folder with components, in which commands run that need no server.

use std::{env, path::Path, sync::OnceLock};

use serde_json::Value;
use tempfile::TempDir;

use super::fixtures::{Folder, Ran, run_in};

pub(super) struct Workshop {
    pub(super) folder: Folder,
    env: Vec<(String, String)>,
}

impl Workshop {
    pub(super) fn with(files: &[(&str, &str)]) -> Workshop {
        let mut env = vec![("XDG_CACHE_HOME".to_owned(), cache().to_owned())];
        env.extend(env::var("SLUICE_DENO").map(|deno| ("SLUICE_DENO".to_owned(), deno)));
        Workshop {
            folder: Folder::with(files),
            env,
        }
    }

    pub(super) fn with_env(mut self, name: &str, value: &str) -> Workshop {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) async fn run(&self, args: &[&str]) -> Ran {
        run_in(Path::new(self.folder.path()), args, &self.env).await
    }

    /// Runs a command that must succeed, and gives what it shows.
    pub(super) async fn ok(&self, args: &[&str]) -> String {
        let ran = self.run(args).await;
        assert_eq!(ran.code, 0, "{ran:#?}");
        ran.out
    }

    /// What a command shows with `--json`, and its exit code.
    pub(super) async fn json(&self, args: &[&str]) -> (Value, i32) {
        let ran = self.run(&[args, &["--json"]].concat()).await;
        let json = serde_json::from_str(&ran.out);
        (json.unwrap_or_else(|_| panic!("{ran:#?}")), ran.code)
    }
}

/// One for all tests: what a command keeps there is for the next one to use.
fn cache() -> &'static str {
    static CACHE: OnceLock<TempDir> = OnceLock::new();
    let folder = CACHE.get_or_init(sluice_testkit::scratch_folder);
    folder.path().to_str().expect("a path in UTF-8")
}
