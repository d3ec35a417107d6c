//! What is in a column of Parquet, by its physical type and its logical one, old or new.

use ::parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use ::parquet::schema::types::ColumnDescriptor;

/// What is in a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Texts.
    Text,
    /// Numbers as they are.
    Number,
    /// Whole numbers without sign, in so many bits.
    Unsigned(u32),
    /// Whole numbers, to be divided by this.
    Parts(f64),
}

impl Kind {
    /// What is in `column`; none if that is neither numbers nor texts.
    pub(super) fn of(column: &ColumnDescriptor) -> Option<Self> {
        let (logical, converted) = (column.logical_type_ref(), column.converted_type());
        match column.physical_type() {
            Type::BOOLEAN | Type::FLOAT | Type::DOUBLE => Some(Self::Number),
            Type::BYTE_ARRAY => is_text(logical, converted).then_some(Self::Text),
            Type::INT32 => Some(Self::of_whole(column, (logical, converted), 32)),
            Type::INT64 => Some(Self::of_whole(column, (logical, converted), 64)),
            Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY => None,
        }
    }

    /// What whole numbers of so many bits are.
    fn of_whole(
        column: &ColumnDescriptor,
        (logical, converted): (Option<&LogicalType>, ConvertedType),
        bits: u32,
    ) -> Self {
        const SECONDS: f64 = 86_400.0;
        match (logical, converted) {
            (Some(LogicalType::Timestamp(stamp)), _) => Self::Parts(match stamp.unit {
                TimeUnit::MILLIS => SECONDS * 1e3,
                TimeUnit::MICROS => SECONDS * 1e6,
                TimeUnit::NANOS => SECONDS * 1e9,
            }),
            (None, ConvertedType::TIMESTAMP_MILLIS) => Self::Parts(SECONDS * 1e3),
            (None, ConvertedType::TIMESTAMP_MICROS) => Self::Parts(SECONDS * 1e6),
            (Some(LogicalType::Decimal(decimal)), _) => Self::Parts(10f64.powi(decimal.scale)),
            (None, ConvertedType::DECIMAL) => Self::Parts(10f64.powi(column.type_scale())),
            (Some(LogicalType::Integer(whole)), _) if !whole.is_signed => Self::Unsigned(bits),
            (
                None,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
            ) => Self::Unsigned(bits),
            _ => Self::Number,
        }
    }

    /// The number that is stored as `whole`.
    pub(super) fn of_int(self, whole: i64) -> f64 {
        match self {
            Self::Unsigned(32) => f64::from(whole as u32),
            Self::Unsigned(_) => whole as u64 as f64,
            Self::Parts(parts) => whole as f64 / parts,
            Self::Number | Self::Text => whole as f64,
        }
    }
}

/// Whether bytes of these types are texts.
fn is_text(logical: Option<&LogicalType>, converted: ConvertedType) -> bool {
    match logical {
        Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) => true,
        Some(_) => false,
        None => {
            matches!(converted, ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON)
        }
    }
}
