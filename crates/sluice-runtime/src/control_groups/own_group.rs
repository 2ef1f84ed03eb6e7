//! The control group of this process.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A mount of the hierarchy of version 2.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) folder: PathBuf,
    /// The group that is at the folder.
    root: PathBuf,
}

pub(super) fn mount() -> Option<Mount> {
    find_mount(&fs::read_to_string("/proc/self/mountinfo").ok()?)
}

/// The folder of the group that this process is in.
pub(super) fn own_group() -> Option<PathBuf> {
    let mount = mount()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    folder_of(&groups, &mount)
}

/// The least memory that a group around this process may use, in bytes. `None` without a limit.
pub fn memory_limit() -> Option<u64> {
    let mount = mount()?;
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    least_limit(&folder_of(&groups, &mount)?, &mount.folder)
}

fn least_limit(group: &Path, mount: &Path) -> Option<u64> {
    let around = group
        .ancestors()
        .take_while(|folder| folder.starts_with(mount));
    // The text of a group without a limit is "max".
    let limits = around.filter_map(|folder| {
        let text = fs::read_to_string(folder.join("memory.max")).ok()?;
        text.trim().parse::<u64>().ok()
    });
    limits.min()
}

/// The fields are: number, number, device, root, folder, options, optional ones, `-`, type and more.
fn find_mount(mounts: &str) -> Option<Mount> {
    mounts.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        if kind.split(' ').next() != Some("cgroup2") {
            return None;
        }
        let mut fields = place.split(' ').skip(3);
        Some(Mount {
            root: PathBuf::from(fields.next()?),
            folder: PathBuf::from(fields.next()?),
        })
    })
}

fn folder_of(groups: &str, mount: &Mount) -> Option<PathBuf> {
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let below = Path::new(path).strip_prefix(&mount.root).ok()?;
    Some(mount.folder.join(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIFIED: &str = "\
24 1 0:22 / /proc rw - proc proc rw
31 24 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate";
    const HYBRID: &str = "\
40 31 0:37 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw";
    const CONTAINER: &str = "31 24 0:27 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw";

    #[test]
    fn the_group_is_found_below_the_mount_of_version_2() {
        for (mounts, groups, expected) in [
            (
                UNIFIED,
                "0::/system.slice/sluice.service\n",
                Some("/sys/fs/cgroup/system.slice/sluice.service"),
            ),
            (
                HYBRID,
                "9:pids:/x\n0::/sluice\n",
                Some("/sys/fs/cgroup/unified/sluice"),
            ),
            (CONTAINER, "0::/docker/abc/b\n", Some("/sys/fs/cgroup/b")),
            // A group outside of what is mounted cannot be reached.
            (CONTAINER, "0::/other\n", None),
            (HYBRID, "9:pids:/x\n", None),
        ] {
            let mount = find_mount(mounts).unwrap();
            let found = folder_of(groups, &mount);
            assert_eq!(found, expected.map(PathBuf::from), "{groups}");
        }
        assert_eq!(
            find_mount("40 31 0:37 / /x rw - cgroup cgroup rw,pids"),
            None
        );
    }

    #[test]
    fn the_least_limit_of_all_groups_around_counts() {
        let mount = tempfile::tempdir().unwrap();
        let group = mount.path().join("a/b");
        fs::create_dir_all(&group).unwrap();
        let limit = |folder: &Path, text| fs::write(folder.join("memory.max"), text).unwrap();
        limit(&group, "max\n");
        assert_eq!(least_limit(&group, mount.path()), None);
        limit(&mount.path().join("a"), "4096\n");
        limit(mount.path(), "8192\n");
        assert_eq!(least_limit(&group, mount.path()), Some(4096));
    }
}
