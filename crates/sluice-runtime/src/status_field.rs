//! Reading files of the kernel that have a name and a number in each line.

/// The number after the name, or 0.
pub(crate) fn field(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next());
    number
        .and_then(|number| number.parse().ok())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_a_status_is_read_by_its_whole_name() {
        let status = "Name:\tdeno\nVmRSS:\t   36956 kB\nRssAnon:\t   10308 kB\nThreads:\t6\n";
        assert_eq!(field(status, "RssAnon:"), 10308);
        assert_eq!(field(status, "Threads:"), 6);
        assert_eq!(field(status, "Missing:"), 0);
    }
}
