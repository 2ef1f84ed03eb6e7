//! Enums that are stored as words.

/// Gives an enum its stored words, in both directions.
macro_rules! text_enum {
    ($name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $name {
            /// The word it is stored as.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }

            /// The one that a word names.
            pub fn parse(word: &str) -> Option<$name> {
                match word {
                    $($word => Some($name::$variant),)*
                    _ => None,
                }
            }
        }

        impl From<$name> for $crate::Value<'_> {
            fn from(value: $name) -> Self {
                $crate::Value::Text(value.as_str())
            }
        }

        impl $crate::FromValue for $name {
            fn from_value(value: $crate::Value<'_>) -> Option<Self> {
                $name::parse($crate::value::text(value)?)
            }
        }
    };
}

pub(crate) use text_enum;
