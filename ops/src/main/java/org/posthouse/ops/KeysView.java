package org.posthouse.ops;

import java.util.List;
import java.util.Objects;

/**
 * The keys that a relay's links are made with. Immutable.
 *
 * @param serial            the serial number of the site's certificate, in hexadecimal
 * @param notAfter          until when it is valid, milliseconds since 1970 UTC
 * @param authorityNotAfter until when the grid's authority is valid, milliseconds since 1970 UTC
 * @param revocationList    the number of the newest list of revoked certificates; 0 if there is none
 * @param revoked           how many certificates that list holds
 * @param warnings          what somebody should do something about, one clear line each
 */
public record KeysView(
        String serial, long notAfter, long authorityNotAfter, long revocationList, int revoked, List<String> warnings) {

    /** Copies the warnings and refuses nulls. */
    public KeysView {
        Objects.requireNonNull(serial, "serial");
        warnings = List.copyOf(warnings);
    }
}
