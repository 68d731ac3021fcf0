//! Xacro macros are expanded by the program that defines them, where it is installed.

use std::path::Path;
use std::process::Command;

use crate::error::RobotError;

/// The expanded text of a `.xacro` file.
pub(super) fn expand(path: &Path) -> Result<String, RobotError> {
    // A missing file is not xacro's business.
    std::fs::metadata(path).map_err(|source| RobotError::Io { path: path.into(), source })?;
    let output = match Command::new("xacro").arg(path).output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = "is a xacro file and the program xacro is not installed: install it (`pip install xacro`, or ROS), or \
                           expand the file elsewhere, as in `xacro robot.urdf.xacro > robot.urdf`";
            return Err(RobotError::format(path, 1, "robot", message));
        }
        Err(source) => return Err(RobotError::Io { path: path.into(), source }),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or("no message").to_owned();
        return Err(RobotError::format(path, 1, "robot", format!("xacro could not expand the file: {last}")));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| RobotError::format(path, 1, "robot", "xacro wrote something that is not UTF-8 text"))
}
