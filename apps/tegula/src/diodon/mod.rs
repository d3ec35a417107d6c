//! `tegula diodon`: principal coordinates, components and correspondences of huge matrices.
