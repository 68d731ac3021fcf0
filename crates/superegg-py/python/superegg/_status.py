"""How queries end."""

from enum import IntEnum


class Status(IntEnum):
    """How a distance query ended. Arrays of answers hold the codes.

    >>> import superegg
    >>> ball = superegg.superellipsoid([1, 1, 1])
    >>> superegg.distance(ball, ball, pose_b=[[3, 0, 0], [1, 0, 0]]).status == superegg.Status.SEPARATED
    array([ True, False])
    """

    #: The bodies are apart.
    SEPARATED = 0
    #: Zero lies within the tolerance of the distance.
    TOUCHING = 1
    #: The bodies overlap: the distance is minus the penetration depth.
    PENETRATING = 2
    #: The iteration cap was reached; the bounds still bracket the truth.
    NOT_CONVERGED = 3


class ImpactStatus(IntEnum):
    """What becomes of two moving bodies."""

    #: They meet.
    IMPACT = 0
    #: They touch or overlap at time zero.
    ALREADY = 1
    #: They do not meet up to the horizon.
    NONE = 2
    #: The cap on queries was reached: they do not meet up to the time given.
    NOT_CONVERGED = 3
