//! Which subtrees of a tree of work become contexts, and how many workers each gets: proportional
//! mapping with bundles (Hugo 2014, section 4.3, after Pothen and Sun).
//!
//! A layer of nodes is cut through the tree, from the root down, until its subtrees fit bundles of
//! workers that are close to each other, the cores of a socket say. A node's share of the workers
//! is its parent's, divided by the work of the subtrees.

/// A node with all that hangs below it.
#[derive(Clone, Debug, Default)]
pub struct Subtree {
    /// Numbers of its children.
    pub children: Vec<usize>,
    /// Work of the node and of all below it.
    pub work: f64,
}

/// A node of the layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Mapped {
    /// Its number.
    pub node: usize,
    /// Workers for its subtree; a fraction is a worker shared with the next.
    pub share: f64,
    /// Number of the bundle that it is in.
    pub bundle: usize,
}

/// Cuts a layer through the tree `nodes` whose roots are `roots`, for `workers` workers in bundles
/// of `bundle`; a bundle may be filled beyond its size by the part `tolerance`.
///
/// Nodes of the layer are in the order of the tree, so that those of one bundle are neighbours.
/// What is above the layer, and the layer where it cannot go down any more, is taken as it is.
#[must_use]
pub fn proportional_mapping(
    nodes: &[Subtree],
    roots: &[usize],
    workers: usize,
    bundle: usize,
    tolerance: f64,
) -> Vec<Mapped> {
    let mut layer = split(nodes, roots, workers as f64);
    loop {
        let placed = place(&layer, bundle as f64, tolerance);
        let may_go_down = layer.iter().any(|&(node, _)| !nodes[node].children.is_empty());
        match placed {
            Ok(bundles) => return mapped(&layer, &bundles),
            Err(bundles) if !may_go_down => return mapped(&layer, &bundles),
            Err(_) => {
                layer = layer
                    .iter()
                    .flat_map(|&(node, share)| match nodes[node].children.as_slice() {
                        [] => vec![(node, share)],
                        children => split(nodes, children, share),
                    })
                    .collect();
            }
        }
    }
}

/// Shares of siblings, by their work.
fn split(nodes: &[Subtree], siblings: &[usize], share: f64) -> Vec<(usize, f64)> {
    let all: f64 = siblings.iter().map(|&node| nodes[node].work).sum();
    let part = |node: usize| match all > 0.0 {
        true => nodes[node].work / all,
        false => 1.0 / siblings.len() as f64,
    };
    siblings.iter().map(|&node| (node, share * part(node))).collect()
}

/// Fills bundle after bundle with the nodes of a layer; an error, if one is filled beyond what it
/// holds. Either way, the bundle of each node.
fn place(layer: &[(usize, f64)], size: f64, tolerance: f64) -> Result<Vec<usize>, Vec<usize>> {
    let (mut bundle, mut filled, mut is_over) = (0, 0.0, false);
    let mut bundles = Vec::with_capacity(layer.len());
    for &(_, share) in layer {
        if filled >= size * (1.0 - 1e-9) {
            (bundle, filled) = (bundle + 1, 0.0);
        }
        filled += share;
        is_over |= filled > size * (1.0 + tolerance) + 1e-9;
        bundles.push(bundle);
    }
    if is_over { Err(bundles) } else { Ok(bundles) }
}

fn mapped(layer: &[(usize, f64)], bundles: &[usize]) -> Vec<Mapped> {
    let each = layer.iter().zip(bundles);
    each.map(|(&(node, share), &bundle)| Mapped { node, share, bundle }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the thesis (figure 4.2), with weights that lead to its layers: `a, e | f, i`
    /// overfills the first bundle, `a, b | c, d, f, g, h` fills both.
    #[test]
    fn the_example_goes_down_once() {
        let leaf = |work| Subtree { children: Vec::new(), work };
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "root"];
        let mut nodes = vec![leaf(3.0), leaf(3.0), leaf(1.0), leaf(1.0)];
        nodes.push(Subtree { children: vec![1, 2, 3], work: 5.0 });
        nodes.push(leaf(1.0));
        nodes.push(leaf(2.0));
        nodes.push(leaf(1.0));
        nodes.push(Subtree { children: vec![6, 7], work: 3.0 });
        nodes.push(Subtree { children: vec![0, 4, 5, 8], work: 12.0 });
        let layer = proportional_mapping(&nodes, &[9], 12, 6, 0.0);
        let of = |bundle| -> Vec<&str> {
            let own = layer.iter().filter(|mapped| mapped.bundle == bundle);
            own.map(|mapped| names[mapped.node]).collect()
        };
        assert_eq!(of(0), ["a", "b"]);
        assert_eq!(of(1), ["c", "d", "f", "g", "h"]);
        let all: f64 = layer.iter().map(|mapped| mapped.share).sum();
        assert!((all - 12.0).abs() < 1e-12);
    }

    #[test]
    fn one_bundle_takes_the_root() {
        let nodes =
            [Subtree { children: vec![1], work: 2.0 }, Subtree { children: Vec::new(), work: 1.0 }];
        let layer = proportional_mapping(&nodes, &[0], 8, 8, 0.1);
        assert_eq!(layer, [Mapped { node: 0, share: 8.0, bundle: 0 }]);
    }
}
