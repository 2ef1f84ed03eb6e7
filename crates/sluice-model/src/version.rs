//! Versions of published components. Those of the registry are semantic: `1.2.3`, `2.0.0-beta.1`.

use semver::Version;

pub fn is_semantic(version: &str) -> bool {
    Version::parse(version).is_ok()
}

/// The newest by the order of semantic versions, in which a release comes after its pre-releases. A version that is not
/// semantic is older than every semantic one; of several, the last counts.
pub fn newest_version<T: AsRef<str>>(versions: impl IntoIterator<Item = T>) -> Option<T> {
    versions
        .into_iter()
        .max_by_key(|version| Version::parse(version.as_ref()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_semantic_or_not() {
        for semantic in ["0.0.1", "1.2.3", "10.20.30-beta.1", "1.0.0+build.5"] {
            assert!(is_semantic(semantic), "{semantic}");
        }
        for other in [
            "", "1", "1.0", "1.0.0.0", "01.0.0", "v1.0.0", "1.0.0-", "1.0.x",
        ] {
            assert!(!is_semantic(other), "{other}");
        }
    }

    #[test]
    fn the_newest_version_is_the_highest_and_a_release_comes_after_its_pre_releases() {
        for (versions, newest) in [
            (["1.9.0", "1.10.0", "1.2.0"], "1.10.0"),
            (["1.0.0-rc.1", "1.0.0", "1.0.0-beta"], "1.0.0"),
            (["1.0.0-beta.2", "1.0.0-beta.11", "0.9.0"], "1.0.0-beta.11"),
            (["99", "0.0.1", "latest"], "0.0.1"),
        ] {
            assert_eq!(newest_version(versions), Some(newest));
        }
        assert_eq!(newest_version::<&str>([]), None);
        assert_eq!(newest_version(["99"]), Some("99"));
        assert_eq!(newest_version(["99", "7"]), Some("7"));
    }
}
