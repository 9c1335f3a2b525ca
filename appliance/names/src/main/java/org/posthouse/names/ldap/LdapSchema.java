package org.posthouse.names.ldap;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What a directory has to know before names can be in it. Stateless. */
public final class LdapSchema {
    private LdapSchema() {}

    /** What OpenLDAP is to index. */
    public static String[] indices() {
        return new String[] {"posthouseName eq,sub", "posthouseBound eq"};
    }

    /** As LDIF for OpenLDAP. */
    public static String ldif() {
        try (InputStream file = LdapSchema.class.getResourceAsStream("posthouse.ldif")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("posthouse.ldif in Posthouse's own archive cannot be read", e);
        }
    }
}
