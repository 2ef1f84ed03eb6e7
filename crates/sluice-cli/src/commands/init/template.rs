//! Texts with lines that are there on conditions.
//!
//! A line that begins with conditions in brackets, such as `[http,!db]`, is there when all of them hold; a condition with `!`
//! holds when its word was not given. `{{name}}` stands for a value.

/// What fills a template.
#[derive(Debug, Clone, Default)]
pub(super) struct Filling {
    words: Vec<&'static str>,
    values: Vec<(&'static str, String)>,
}

impl Filling {
    /// Makes the conditions with this word hold.
    pub(super) fn word(mut self, word: &'static str, holds: bool) -> Filling {
        if holds {
            self.words.push(word);
        }
        self
    }

    pub(super) fn value(mut self, name: &'static str, value: &str) -> Filling {
        self.values.push((name, value.to_owned()));
        self
    }

    pub(super) fn fill(&self, template: &str) -> String {
        let mut text = String::with_capacity(template.len());
        for line in template.lines().filter_map(|line| self.kept(line)) {
            text.push_str(line);
            text.push('\n');
        }
        for (name, value) in &self.values {
            text = text.replace(&format!("{{{{{name}}}}}"), value);
        }
        text
    }

    /// The line without its conditions, when they hold.
    fn kept<'t>(&self, line: &'t str) -> Option<&'t str> {
        let Some((conditions, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']'))
        else {
            return Some(line);
        };
        let mut conditions = conditions.split(',');
        let all_hold = conditions.all(|condition| match condition.strip_prefix('!') {
            Some(word) => !self.words.contains(&word),
            None => self.words.contains(&condition),
        });
        all_hold.then_some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_on_their_conditions_and_values_in_their_places() {
        let template = "a {{x}}\n[b]b\n[!b]not b\n[b,c]b and c\n[!c]  {{ x }}\n";
        let filling = Filling::default()
            .word("b", true)
            .word("c", false)
            .value("x", "1");
        assert_eq!(filling.fill(template), "a 1\nb\n  {{ x }}\n");
    }
}
