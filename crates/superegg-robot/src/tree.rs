//! Links and joints make a tree: names become indices, and what is no tree is refused.

use std::collections::HashMap;

use crate::error::{Diagnostic, Place, RobotError, Severity};
use crate::model::{Joint, Robot};
use crate::xml::Source;

/// A joint whose links and leader are still names.
pub(crate) struct NamedJoint {
    pub joint: Joint,
    pub parent: String,
    pub child: String,
    pub mimic: Option<String>,
    pub at: Place,
}

/// Resolves names and checks that there is one root, one parent a link, and no circle of joints or mimics.
pub(crate) fn assemble(
    source: &mut Source,
    robot: &mut Robot,
    joints: Vec<NamedJoint>,
    links: &HashMap<String, usize>,
) -> Result<(), RobotError> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (number, named) in joints.iter().enumerate() {
        if let Some(first) = numbers.insert(named.joint.name.clone(), number) {
            let first = &joints[first].at;
            let name = &named.joint.name;
            return Err(refuse(
                source,
                named,
                format!("{name:?} is the name of the joint in {first} already; rename one"),
            ));
        }
    }
    let mut above: Vec<Option<usize>> = vec![None; robot.links.len()];
    let places: Vec<Place> = joints.iter().map(|named| named.at.clone()).collect();
    for (number, mut named) in joints.into_iter().enumerate() {
        let find = |name: &str| {
            links.get(name).copied().ok_or_else(|| {
                let message = format!("{}: there is no link {name:?}{}", named.joint.name, similar(name, links.keys()));
                refuse(source, &named, message)
            })
        };
        let (parent, child) = (find(&named.parent)?, find(&named.child)?);
        if parent == child {
            let message = format!("{}: parent and child are both {:?}", named.joint.name, named.parent);
            return Err(refuse(source, &named, message));
        }
        if let Some(first) = above[child].replace(number) {
            let message = format!(
                "{}: link {:?} hangs on the joint in {} already; a link has one parent, loops cannot be read",
                named.joint.name, named.child, places[first]
            );
            return Err(refuse(source, &named, message));
        }
        if let (Some(leader), Some(mimic)) = (&named.mimic, &mut named.joint.mimic) {
            let Some(&found) = numbers.get(leader) else {
                let message = format!(
                    "{}: mimics {leader:?}, which is no joint{}",
                    named.joint.name,
                    similar(leader, numbers.keys())
                );
                return Err(refuse(source, &named, message));
            };
            mimic.joint = found;
        }
        (named.joint.parent, named.joint.child) = (parent, child);
        robot.joints.push(named.joint);
    }
    robot.root = root(source, robot, &above)?;
    drop_idle_mimics(source, robot, &places);
    check_mimics(source, robot, &places)
}

fn refuse(source: &Source, named: &NamedJoint, message: String) -> RobotError {
    source.refuse_at(&named.at, "joint", message)
}

/// The one link without a parent, from which all others hang.
fn root(source: &Source, robot: &Robot, above: &[Option<usize>]) -> Result<usize, RobotError> {
    let roots: Vec<usize> = (0..above.len()).filter(|&link| above[link].is_none()).collect();
    let fail = |message: String| Err(RobotError::format(source.path, 1, "robot", message));
    match roots[..] {
        [] => fail("every link is the child of a joint: the joints make a circle; remove one of them".into()),
        [root] => {
            let mut seen = vec![false; above.len()];
            seen[root] = true;
            // Children by parent, so that this is linear.
            let mut below = vec![Vec::new(); above.len()];
            robot.joints.iter().for_each(|joint| below[joint.parent].push(joint.child));
            let mut open = vec![root];
            while let Some(link) = open.pop() {
                for &child in &below[link] {
                    seen[child] = true;
                    open.push(child);
                }
            }
            match seen.iter().position(|seen| !seen) {
                Some(lost) => fail(format!(
                    "link {:?} and those it hangs on make a circle apart from {:?}; remove one of their joints",
                    robot.links[lost].name, robot.links[root].name
                )),
                None => Ok(root),
            }
        }
        [first, second, ..] => fail(format!(
            "{} links have no parent, as {:?} and {:?}; join them with a fixed joint",
            roots.len(),
            robot.links[first].name,
            robot.links[second].name
        )),
    }
}

/// Joints that follow one which cannot move along one axis lead themselves; that is said.
fn drop_idle_mimics(source: &mut Source, robot: &mut Robot, places: &[Place]) {
    let follows_nothing: Vec<usize> = (0..robot.joints.len())
        .filter(|&number| {
            robot.joints[number].mimic.is_some_and(|mimic| robot.joints[mimic.joint].kind.freedoms() != 1)
        })
        .collect();
    for number in follows_nothing {
        let joint = &mut robot.joints[number];
        joint.mimic = None;
        let message = format!("{}: follows a joint that does not move along one axis; it moves by itself", joint.name);
        let (at, element, severity) = (places[number].clone(), "mimic".to_owned(), Severity::Error);
        source.diagnostics.push(Diagnostic { at, element, severity, message });
    }
}

/// Refuses mimics that follow each other in a circle.
fn check_mimics(source: &Source, robot: &Robot, places: &[Place]) -> Result<(), RobotError> {
    // 0 unknown, 1 on the way, 2 ends at a leader.
    let mut state = vec![0u8; robot.joints.len()];
    for start in 0..robot.joints.len() {
        let (mut way, mut joint) = (Vec::new(), start);
        while state[joint] == 0 {
            state[joint] = 1;
            way.push(joint);
            let Some(mimic) = robot.joints[joint].mimic else { break };
            let (name, at) = (&robot.joints[joint].name, &places[joint]);
            let fail = |message: &str| Err(source.refuse_at(at, "joint", format!("{name}: {message}")));
            if robot.joints[joint].kind.freedoms() != 1 || robot.joints[mimic.joint].kind.freedoms() != 1 {
                return fail("mimics are for revolute, continuous and prismatic joints; remove <mimic>");
            }
            joint = mimic.joint;
            if state[joint] == 1 {
                return fail("mimics follow each other in a circle; let one of them lead");
            }
        }
        way.into_iter().for_each(|joint| state[joint] = 2);
    }
    Ok(())
}

/// A hint at a name that differs in few letters.
fn similar<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> String {
    let folded = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
    let wanted = folded(name);
    let mut matches: Vec<&String> = known.filter(|other| folded(other) == wanted).collect();
    matches.sort();
    matches.first().map_or(String::new(), |found| format!("; do you mean {found:?}?"))
}
