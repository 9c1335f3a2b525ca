package org.posthouse.names.ldap;

/**
 * What an entry is compared by. Immutable.
 *
 * @param version of its last record
 * @param isBound false: that was unbound
 */
record VersionHead(long version, boolean isBound) {
    /** Whether it came after another of the same name. */
    boolean isAfter(VersionHead other) {
        return version > other.version || version == other.version && !isBound && other.isBound;
    }
}
