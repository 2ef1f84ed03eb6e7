use std::collections::BTreeMap;

use flate2::{Compression, write::GzEncoder};
use tar::{Builder, Header};

use super::*;
use crate::import::tree_files::{Entry, TreeFiles as _};

fn header(size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (path, text) in files {
        let added = builder.append_data(&mut header(text.len() as u64), path, text.as_bytes());
        added.expect("memory takes every byte");
    }
    builder.into_inner().expect("memory takes every byte")
}

fn unpacked(mut archive: &[u8]) -> Result<BTreeMap<String, String>, ArchiveError> {
    let folder = tempfile::tempdir().expect("a folder");
    let writer = ArchiveWriter::create(folder.path()).expect("a file");
    let files = unpack(&mut archive, writer)?;
    let mut found = BTreeMap::new();
    walk(&files, "", &mut found);
    Ok(found)
}

fn walk(files: &ArchiveFiles, folder: &str, found: &mut BTreeMap<String, String>) {
    let path = |name: &str| format!("{folder}{name}");
    for entry in files
        .entries(folder.trim_end_matches('/'))
        .expect("a folder")
    {
        match entry {
            Entry::Folder(name) => walk(files, &format!("{}/", path(&name)), found),
            Entry::File(name) => {
                let text = files.content(&path(&name)).expect("a file");
                found.insert(path(&name), String::from_utf8(text).expect("a text"));
            }
        }
    }
}

fn error(archive: &[u8]) -> String {
    unpacked(archive).expect_err("an error").to_string()
}

#[test]
fn code_is_unpacked_with_and_without_compression() {
    let long = format!("a/{}/b.mjs", "long".repeat(50));
    let files = [
        ("./a/sources/a.mjs", "one"),
        ("a/data.json", "{}"),
        (&long, "two"),
    ];
    let plain = archive(&files);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    io::copy(&mut plain.as_slice(), &mut encoder).expect("memory takes every byte");
    let packed = encoder.finish().expect("memory takes every byte");
    for archive in [plain, packed] {
        let found = unpacked(&archive).expect("it is unpacked");
        let expected = [
            ("a/data.json", "{}"),
            (&*long, "two"),
            ("a/sources/a.mjs", "one"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(found, BTreeMap::from(expected));
    }
}

#[test]
fn a_path_in_an_extended_header_counts() {
    let mut builder = Builder::new(Vec::new());
    let path = format!("a/{}/b.mjs", "ü".repeat(80));
    let attributes = [("path", path.as_bytes())];
    builder
        .append_pax_extensions(attributes)
        .expect("memory takes every byte");
    let mut short = header(1);
    short.set_path("short.mjs").expect("a short path");
    short.set_cksum();
    builder
        .append(&short, "1".as_bytes())
        .expect("memory takes every byte");
    let archive = builder.into_inner().expect("memory takes every byte");
    let found = unpacked(&archive).expect("it is unpacked");
    assert_eq!(found.keys().collect::<Vec<_>>(), [&path]);
}

#[test]
fn only_files_that_components_may_have_are_unpacked() {
    let found = unpacked(&archive(&[
        ("a/README.md", ""),
        ("a/.hidden.mjs", ""),
        ("a/.git/a.js", ""),
        ("a/node_modules/b/index.js", ""),
        ("a/image.png", ""),
        ("a/b.ts", ""),
    ]))
    .expect("it is unpacked");
    assert_eq!(found.into_keys().collect::<Vec<_>>(), ["a/b.ts"]);
}

#[test]
fn a_later_entry_replaces_an_earlier_one() {
    let found =
        unpacked(&archive(&[("a.mjs", "earlier"), ("a.mjs", "later")])).expect("it is unpacked");
    assert_eq!(found["a.mjs"], "later");
}

#[test]
fn broken_archives_are_rejected() {
    assert!(error(b"").contains("empty"));
    assert!(error(b"no archive at all").contains("no tar archive"));
    assert!(error(&GZIP).contains("no tar archive"));
    let whole = archive(&[("a.mjs", &"text".repeat(1000))]);
    assert!(error(&whole[..2000]).contains("cannot be read"));
    let deep = format!("{}b.mjs", "a/".repeat(MAX_DEPTH));
    assert!(error(&archive(&[(&deep, "")])).contains("too long"));
}

#[test]
fn entries_cannot_claim_more_than_they_may_have() {
    let mut builder = Builder::new(Vec::new());
    let mut large = header(MAX_FILE + 1);
    large.set_path("a.mjs").expect("a short path");
    large.set_cksum();
    builder
        .append(&large, io::repeat(b' ').take(MAX_FILE + 1))
        .expect("memory takes every byte");
    let archive = builder.into_inner().expect("memory takes every byte");
    assert!(error(&archive).contains("more than 16 MiB"));

    let mut name = header(MAX_PATH + 1);
    name.set_entry_type(EntryType::GNULongName);
    name.set_cksum();
    let mut builder = Builder::new(Vec::new());
    builder
        .append(&name, io::repeat(b'a').take(MAX_PATH + 1))
        .expect("memory takes every byte");
    let archive = builder.into_inner().expect("memory takes every byte");
    assert!(error(&archive).contains("a name that is too long"));
}
