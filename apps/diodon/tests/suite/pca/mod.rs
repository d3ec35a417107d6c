//! Principal components against singular values of tables that are formed as the definition says.

mod answers;
mod numbers;
mod shapes;
mod support;
