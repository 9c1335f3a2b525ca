package org.posthouse.names.ldap;

import java.util.Optional;
import org.posthouse.names.BoundName;

/**
 * What an entry has. Immutable.
 *
 * @param last the name's last record
 * @param isBound false: the name was unbound, and the entry stays for its version
 */
record StoredRecord(BoundName last, boolean isBound) {
    Optional<BoundName> present() {
        return isBound ? Optional.of(last) : Optional.empty();
    }

    VersionHead head() {
        return new VersionHead(last.version(), isBound);
    }
}
