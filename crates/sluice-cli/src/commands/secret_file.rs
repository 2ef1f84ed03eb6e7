//! Secrets in files, so that they are not on the command line.

use std::{
    fs,
    io::{self, Read},
    path::Path,
};

use anyhow::{Context, bail};

const STANDARD_INPUT: &str = "-";

/// The text of a file without spaces and line ends around it. `-` is standard input.
pub(crate) fn read_secret(path: &Path) -> anyhow::Result<String> {
    let text = if path.as_os_str() == STANDARD_INPUT {
        let mut text = String::new();
        let read = io::stdin().read_to_string(&mut text);
        read.context("cannot read standard input")?;
        text
    } else {
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
    };
    match text.trim() {
        "" => bail!("{} is empty", path.display()),
        secret => Ok(secret.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_in_a_file_has_no_line_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        fs::write(&path, "s3cret\n").unwrap();
        assert_eq!(read_secret(&path).unwrap(), "s3cret");
        fs::write(&path, "\n").unwrap();
        let error = read_secret(&path).unwrap_err().to_string();
        assert!(error.ends_with("is empty"), "{error}");
        assert!(read_secret(&folder.path().join("none")).is_err());
    }
}
