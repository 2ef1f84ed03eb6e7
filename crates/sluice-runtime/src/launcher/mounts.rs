//! The mounts of a process, in its own namespace: everything read-only, and a private `/tmp`.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::ffi::OsStringExt,
    path::{Path, PathBuf},
};

use rustix::mount::MountFlags;

use super::{confinement::Namespaces, namespaces};

const TMP: &str = "/tmp";

/// Nothing can be changed except in these folders. Landlock does not cover changes of modes, times, owners and attributes.
pub(super) fn make_read_only(except: &[PathBuf]) -> io::Result<()> {
    for mount in mounts(&fs::read_to_string("/proc/self/mountinfo")?) {
        let flags = mount.flags | MountFlags::BIND | MountFlags::RDONLY;
        let remounted = rustix::mount::mount_remount(&mount.point, flags, c"");
        // Others may be hidden below a later mount, or belong to the kernel.
        if mount.point == Path::new("/") {
            remounted?;
        }
    }
    except.iter().try_for_each(|folder| mount_harmless(folder))
}

/// Shows `folder`, which can be changed, as `/tmp`.
pub(super) fn give_private_tmp(folder: &Path) -> io::Result<()> {
    Ok(rustix::mount::mount_bind(folder, TMP)?)
}

/// No file in the folder can be executed, not even by mapping it into memory.
fn mount_harmless(folder: &Path) -> io::Result<()> {
    rustix::mount::mount_bind(folder, folder)?;
    let harmless = MountFlags::BIND | MountFlags::NOEXEC | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(rustix::mount::mount_remount(folder, harmless, c"")?)
}

/// How this machine permits private mounts. The probe enters the namespaces.
pub(super) fn probe() -> Namespaces {
    [Namespaces::Direct, Namespaces::OfUser]
        .into_iter()
        .find(|&way| try_way(way).is_ok())
        .unwrap_or(Namespaces::None)
}

fn try_way(way: Namespaces) -> io::Result<()> {
    namespaces::enter(way, false)?;
    make_read_only(&[PathBuf::from(TMP)])
}

#[derive(Debug, PartialEq, Eq)]
struct Mount {
    point: PathBuf,
    /// Flags that must be repeated, because others may not be able to take them away.
    flags: MountFlags,
}

fn mounts(list: &str) -> impl Iterator<Item = Mount> {
    list.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(4);
        let point = PathBuf::from(unescaped(fields.next()?));
        let flags = fields.next()?.split(',').filter_map(flag).collect();
        Some(Mount { point, flags })
    })
}

fn flag(option: &str) -> Option<MountFlags> {
    Some(match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => return None,
    })
}

/// The kernel writes spaces, tabs, line breaks and backslashes as octal numbers.
fn unescaped(text: &str) -> OsString {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        let octal = others
            .get(..3)
            .and_then(|digits| str::from_utf8(digits).ok());
        let escaped = octal.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        if let (b'\\', Some(byte)) = (first, escaped) {
            bytes.push(byte);
            rest = &others[3..];
        } else {
            bytes.push(*first);
            rest = others;
        }
    }
    OsString::from_vec(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_listed_with_the_flags_to_repeat() {
        let list = "\
            22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n\
            30 22 0:25 / /mnt/a\\040b\\134c rw,nosuid,nodev,noexec,noatime - tmpfs none rw,size=1k\n";
        let found: Vec<Mount> = mounts(list).collect();
        assert_eq!(found[0].point, Path::new("/"));
        assert_eq!(found[0].flags, MountFlags::RELATIME);
        assert_eq!(found[1].point, Path::new("/mnt/a b\\c"));
        let strict = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        assert_eq!(found[1].flags, strict | MountFlags::NOATIME);
        assert_eq!(found.len(), 2);
    }
}
