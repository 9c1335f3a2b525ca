package org.posthouse.status;

import java.util.List;
import java.util.Objects;

/**
 * The keys of a relay's links. Immutable.
 *
 * @param serial the serial number of the site's certificate, in hexadecimal
 * @param notAfter end of its validity, milliseconds since 1970 UTC
 * @param authorityNotAfter end of the validity of the grid's authority, and so of every certificate of the grid,
 *         milliseconds since 1970 UTC
 * @param revocationList the number of the newest list of revoked certificates; 0 if there is none
 * @param revoked number of certificates in that list
 * @param warnings problems that need an action, one line each
 */
public record KeysStatus(
        String serial, long notAfter, long authorityNotAfter, long revocationList, int revoked, List<String> warnings) {

    /** Copies the warnings and refuses nulls. */
    public KeysStatus {
        Objects.requireNonNull(serial, "serial");
        warnings = List.copyOf(warnings);
    }
}
