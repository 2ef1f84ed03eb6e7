//! Templates with conditional lines.
//!
//! A line that begins with conditions in brackets, such as `[http,!db]`, is kept if all of them hold. `!` negates a condition.
//! `{{name}}` is replaced by a value.

/// The conditions and values for a template.
#[derive(Debug, Clone, Default)]
pub(super) struct TemplateValues {
    conditions: Vec<&'static str>,
    values: Vec<(&'static str, String)>,
}

impl TemplateValues {
    /// Sets a condition.
    pub(super) fn condition(mut self, name: &'static str, holds: bool) -> TemplateValues {
        if holds {
            self.conditions.push(name);
        }
        self
    }

    pub(super) fn value(mut self, name: &'static str, value: &str) -> TemplateValues {
        self.values.push((name, value.to_owned()));
        self
    }

    pub(super) fn fill(&self, template: &str) -> String {
        let mut text = String::with_capacity(template.len());
        for line in template.lines().filter_map(|line| self.keep(line)) {
            text.push_str(line);
            text.push('\n');
        }
        for (name, value) in &self.values {
            text = text.replace(&format!("{{{{{name}}}}}"), value);
        }
        text
    }

    /// The line without its conditions, if they hold.
    fn keep<'t>(&self, line: &'t str) -> Option<&'t str> {
        let Some((conditions, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']'))
        else {
            return Some(line);
        };
        let mut conditions = conditions.split(',');
        let all_hold = conditions.all(|condition| match condition.strip_prefix('!') {
            Some(name) => !self.conditions.contains(&name),
            None => self.conditions.contains(&condition),
        });
        all_hold.then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditional_lines_are_kept_and_values_replaced() {
        let template = "a {{x}}\n[b]b\n[!b]not b\n[b,c]b and c\n[!c]  {{ x }}\n";
        let values = TemplateValues::default()
            .condition("b", true)
            .condition("c", false)
            .value("x", "1");
        assert_eq!(values.fill(template), "a 1\nb\n  {{ x }}\n");
    }
}
