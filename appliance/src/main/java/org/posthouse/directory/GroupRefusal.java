package org.posthouse.directory;

/** Why a connection to or from another member of the group, or a posting of one, was refused. */
public enum GroupRefusal {
    FOREIGN_USER("another user of this host is at the other end; only relays of one user meet at a group's port"),
    NO_HANDSHAKE("the other end is no member of this version, or was silent; look who connects to the group's port, and that all relays run one version"),
    NOT_PROVEN("give all relays of the group keys of one authority, or none"),
    PACKET("a packet longer than a directory needs, or more of them at once than there is memory for; look which relay sent it"),
    POSTING("a posting that no relay of the grid has signed which it is about; look which relay wrote it, and what has become of its keys"),
    CLASS("the name of a class that members do not send, which is not created; look which relay sent it, and that all relays run one version");

    private final String advice;

    GroupRefusal(String advice) {
        this.advice = advice;
    }

    String advice() {
        return advice;
    }
}
