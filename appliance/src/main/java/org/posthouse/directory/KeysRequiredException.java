package org.posthouse.directory;

/** Thrown if the member at the other end has keys and this relay was started without. */
final class KeysRequiredException extends GroupRefusedException {
    private static final long serialVersionUID = 1;

    KeysRequiredException(String relay) {
        super(GroupRefusal.NOT_PROVEN, "the other end has keys, relay " + relay + " has none");
    }
}
