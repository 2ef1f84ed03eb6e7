//! The text format of Prometheus, version 0.0.4, made from that of OpenMetrics.
//!
//! They differ in the names of counters and infos: OpenMetrics names the family, the text format each sample. The end of
//! the text has no mark.

use std::fmt::Write;

/// Rewrites lines of comments. Samples are the same in both formats.
pub(crate) fn from_open_metrics(text: &str) -> String {
    let mut plain = String::with_capacity(text.len() + text.len() / 16);
    let mut help: Option<(&str, &str)> = None;
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ');
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            if let (Some((_, words)), Some((name, kind))) = (help.take(), rest.split_once(' ')) {
                let (suffix, kind) = renamed(kind);
                // Writing to a string cannot fail.
                let _ = writeln!(plain, "# HELP {name}{suffix} {words}");
                let _ = writeln!(plain, "# TYPE {name}{suffix} {kind}");
            }
        } else if !line.starts_with('#') {
            plain.push_str(line);
            plain.push('\n');
        }
    }
    plain
}

/// The suffix of the samples of a type, and the type in the text format.
fn renamed(kind: &str) -> (&'static str, &str) {
    match kind {
        "counter" => ("_total", "counter"),
        "info" => ("_info", "gauge"),
        "unknown" => ("", "untyped"),
        other => ("", other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_name_the_samples_and_there_is_no_mark_at_the_end() {
        let open = "# HELP a_b Events.\n# TYPE a_b counter\na_b_total{x=\"# HELP\"} 3\n\
                    # HELP node Name of it.\n# TYPE node info\nnode_info{name=\"n\"} 1\n\
                    # HELP t_seconds Time.\n# TYPE t_seconds histogram\n# UNIT t_seconds seconds\nt_seconds_sum 0.5\n\
                    # EOF\n";
        let plain = "# HELP a_b_total Events.\n# TYPE a_b_total counter\na_b_total{x=\"# HELP\"} 3\n\
                     # HELP node_info Name of it.\n# TYPE node_info gauge\nnode_info{name=\"n\"} 1\n\
                     # HELP t_seconds Time.\n# TYPE t_seconds histogram\nt_seconds_sum 0.5\n";
        assert_eq!(from_open_metrics(open), plain);
    }
}
