//! Sizes in bytes.

use bytesize::ByteSize;

/// Less memory than this starts no component process.
const MIN_MEMORY: ByteSize = ByteSize::mib(16);

/// Parses a size of memory for a component process.
pub(super) fn memory(text: &str) -> Result<ByteSize, String> {
    let size: ByteSize = text.parse()?;
    if size < MIN_MEMORY {
        return Err(format!(
            "must be at least 16MiB: {text} is {} bytes (write for example 256MiB)",
            size.as_u64()
        ));
    }
    Ok(size)
}

pub(super) fn bytes(size: ByteSize) -> usize {
    usize::try_from(size.as_u64()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_at_least_that_of_a_process() {
        for text in ["3", "256", "15MiB", "0"] {
            let error = memory(text).unwrap_err();
            assert!(error.starts_with("must be at least 16"), "{text}: {error}");
        }
        assert!(memory("much").is_err());
        assert_eq!(memory("16MiB").unwrap(), ByteSize::mib(16));
        assert_eq!(memory("1GiB").unwrap(), ByteSize::gib(1));
    }
}
