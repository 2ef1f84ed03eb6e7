//! Multipart forms: fields become strings, and files become uploads with their addresses in the form.

use std::convert::Infallible;

use bytes::Bytes;
use multer::Multipart;
use sluice_engine::inbox::NewUpload;

use super::{grouped::Grouped, json_text::JsonText, upload_address::UploadAddresses};

/// A form with more parts is not parsed, because each file is a row in the store.
const MAX_PARTS: usize = 1000;
const MAX_FILENAME: usize = 100;
const UNKNOWN_TYPE: &str = "application/octet-stream";

/// A parsed form.
pub(super) struct Form {
    /// An object, on one line.
    pub(super) json: String,
    pub(super) uploads: Vec<NewUpload>,
}

/// One part's value in the form.
enum Part {
    Field(Bytes),
    File { filename: String, upload: NewUpload },
}

/// The form; none if the body is not one.
pub(super) async fn parse(
    body: Bytes,
    boundary: String,
    addresses: &impl UploadAddresses,
) -> Option<Form> {
    let whole = futures_util::stream::iter([Ok::<_, Infallible>(body)]);
    let mut multipart = Multipart::new(whole, boundary);
    let mut parts = Grouped::new();
    let mut count = 0;
    while let Some(field) = multipart.next_field().await.ok()? {
        count += 1;
        if count > MAX_PARTS {
            return None;
        }
        let name = field.name().unwrap_or_default().to_owned();
        parts.add(name.into(), read_part(field, addresses).await?);
    }
    let mut json = JsonText::default();
    parts.write(&mut json, |text, part| write_part(text, part, addresses));
    let uploads = parts.into_values().filter_map(|part| match part {
        Part::Field(_) => None,
        Part::File { upload, .. } => Some(upload),
    });
    Some(Form {
        json: json.into_string(),
        uploads: uploads.collect(),
    })
}

async fn read_part(field: multer::Field<'_>, addresses: &impl UploadAddresses) -> Option<Part> {
    let Some(filename) = field.file_name().map(str::to_owned) else {
        return Some(Part::Field(field.bytes().await.ok()?));
    };
    let mimetype = field
        .content_type()
        .map_or(UNKNOWN_TYPE, |mimetype| mimetype.essence_str())
        .to_owned();
    let upload = NewUpload {
        id: addresses.new_id(),
        filename: safe_filename(&filename),
        mimetype,
        content: field.bytes().await.ok()?.into(),
    };
    Some(Part::File { filename, upload })
}

fn write_part(text: &mut JsonText, part: &Part, addresses: &impl UploadAddresses) {
    let (filename, upload) = match part {
        Part::Field(value) => return text.string(&String::from_utf8_lossy(value)),
        Part::File { filename, upload } => (filename, upload),
    };
    text.raw("{\"filename\":");
    text.string(filename);
    text.raw(",\"mimetype\":");
    text.string(&upload.mimetype);
    text.raw(",\"size\":");
    text.raw(&upload.content.len().to_string());
    text.raw(",\"path\":");
    // The runtime replaces `$tmp:` with the temporary folder of the component.
    text.string(&format!("$tmp:{}/{}", upload.id, upload.filename));
    text.raw(",\"url\":");
    text.string(&addresses.url(&upload.id));
    text.raw("}");
}

/// The last part of the name, with characters that are harmless in file systems and headers.
fn safe_filename(filename: &str) -> String {
    let base = filename.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe: String = base
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '_' => c,
            _ => '_',
        })
        .collect();
    // A long name keeps its end, which has the extension.
    let end = safe.len().saturating_sub(MAX_FILENAME);
    let safe = safe[end..].trim_start_matches('.');
    if safe.is_empty() { "file" } else { safe }.to_owned()
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Default)]
    pub(in crate::ingress) struct CountedAddresses(AtomicU32);

    impl UploadAddresses for CountedAddresses {
        fn new_id(&self) -> String {
            format!("id{}", self.0.fetch_add(1, Ordering::Relaxed))
        }

        fn url(&self, id: &str) -> String {
            format!("http://localhost/uploads/{id}")
        }
    }

    async fn parse_parts(parts: &str) -> Option<(Value, Vec<NewUpload>)> {
        let body = format!("{}--x--\r\n", parts.replace('\n', "\r\n"));
        let form = parse(body.into(), "x".to_owned(), &CountedAddresses::default()).await?;
        Some((serde_json::from_str(&form.json).unwrap(), form.uploads))
    }

    #[tokio::test]
    async fn fields_become_strings_and_files_their_addresses() {
        let (form, uploads) = parse_parts(concat!(
            "--x\nContent-Disposition: form-data; name=\"a\"\n\n1\n",
            "--x\nContent-Disposition: form-data; name=\"f\"; filename=\"../é b.txt\"\n",
            "Content-Type: text/plain; charset=utf-8\n\nhello\nthere\n",
            "--x\nContent-Disposition: form-data; name=\"a\"\n\n2\n",
        ))
        .await
        .unwrap();
        assert_eq!(
            form,
            json!({"a": ["1", "2"], "f": {
                "filename": "../é b.txt", "mimetype": "text/plain", "size": 12,
                "path": "$tmp:id0/__b.txt", "url": "http://localhost/uploads/id0",
            }})
        );
        assert_eq!(uploads.len(), 1);
        assert_eq!(uploads[0].filename, "__b.txt");
        assert_eq!(uploads[0].content, b"hello\r\nthere");
    }

    #[tokio::test]
    async fn a_file_without_name_or_type_is_a_file() {
        let part = "--x\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\n\n\n";
        let (form, uploads) = parse_parts(part).await.unwrap();
        assert_eq!(form["f"]["mimetype"], UNKNOWN_TYPE);
        assert_eq!(uploads[0].filename, "file");
    }

    #[tokio::test]
    async fn a_malformed_form_is_not_parsed() {
        assert!(
            parse_parts("--x\nContent-Disposition: nonsense")
                .await
                .is_none()
        );
        let part = "--x\nContent-Disposition: form-data; name=\"a\"\n\n1\n";
        assert!(parse_parts(&part.repeat(MAX_PARTS)).await.is_some());
        assert!(parse_parts(&part.repeat(MAX_PARTS + 1)).await.is_none());
    }

    proptest! {
        #[test]
        fn filenames_are_harmless(filename in ".*") {
            let safe = safe_filename(&filename);
            prop_assert!((1..=MAX_FILENAME).contains(&safe.len()));
            prop_assert!(!safe.starts_with('.'));
            prop_assert!(safe.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b)));
        }

        #[test]
        fn no_body_causes_a_panic(body in proptest::collection::vec(any::<u8>(), 0..300)) {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            runtime.block_on(parse(body.into(), "x".to_owned(), &CountedAddresses::default()));
        }
    }
}
