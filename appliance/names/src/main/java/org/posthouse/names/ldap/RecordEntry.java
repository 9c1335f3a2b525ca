package org.posthouse.names.ldap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.directory.Attributes;
import javax.naming.directory.BasicAttribute;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.ModificationItem;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameException;
import org.posthouse.names.NameRecord;

/**
 * Names and records as a directory's entries. Stateless.
 *
 * <p>An entry is called by the SHA-256 of its name, as directories compare {@code cn} without case and bound its length. The name itself is an attribute that is
 * compared with case.
 */
final class RecordEntry {
    static final String CLASS = "posthouseRecord";
    static final String NAME = "posthouseName";
    static final String VERSION = "posthouseVersion";
    static final String BOUND = "posthouseBound";

    private static final String EPOCH = "posthouseEpoch";
    private static final String FIELDS = "posthouseFields";

    private RecordEntry() {}

    /** The attributes that {@link #read} needs. */
    static String[] all() {
        return new String[] {NAME, VERSION, BOUND, EPOCH, FIELDS};
    }

    /** The attributes that {@link #name} and {@link #head} need. */
    static String[] heads() {
        return new String[] {NAME, VERSION, BOUND};
    }

    static LdapName dn(LdapName base, Name name) {
        try {
            LdapName dn = new LdapName(base.getRdns());
            return (LdapName) dn.add(new Rdn("cn", hash(name)));
        } catch (InvalidNameException e) {
            throw new AssertionError("hexadecimal digits are a value of cn", e);
        }
    }

    private static String hash(Name name) {
        try {
            byte[] text = name.toString().getBytes(StandardCharsets.US_ASCII);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("each Java has SHA-256", e);
        }
    }

    static Attributes attributes(BoundName bound) {
        Attributes attributes = new BasicAttributes(true);
        attributes.put("objectClass", CLASS);
        attributes.put(NAME, bound.name().toString());
        attributes.put(VERSION, Long.toString(bound.version()));
        attributes.put(BOUND, "TRUE");
        attributes.put(EPOCH, Long.toString(bound.record().epoch()));
        attributes.put(FIELDS, FieldsJson.write(bound.record().fields()));
        return attributes;
    }

    /**
     * One modification, which the directory does as a whole or not at all. It takes away the version and the state that the caller has read, by value, which
     * fails with noSuchAttribute (16) if another has written meanwhile.
     */
    static ModificationItem[] replacement(VersionHead read, StoredRecord with) {
        NameRecord record = with.last().record();
        return new ModificationItem[] {
            item(DirContext.REMOVE_ATTRIBUTE, VERSION, Long.toString(read.version())),
            item(DirContext.REMOVE_ATTRIBUTE, BOUND, text(read.isBound())),
            item(DirContext.ADD_ATTRIBUTE, VERSION, Long.toString(with.last().version())),
            item(DirContext.ADD_ATTRIBUTE, BOUND, text(with.isBound())),
            item(DirContext.REPLACE_ATTRIBUTE, EPOCH, Long.toString(record.epoch())),
            item(DirContext.REPLACE_ATTRIBUTE, FIELDS, FieldsJson.write(record.fields()))};
    }

    private static ModificationItem item(int operation, String attribute, String value) {
        return new ModificationItem(operation, new BasicAttribute(attribute, value));
    }

    private static String text(boolean isBound) {
        return isBound ? "TRUE" : "FALSE";
    }

    static Name name(Attributes entry) throws NamingException {
        return Name.parse(value(entry, NAME));
    }

    static VersionHead head(Attributes entry) throws NamingException {
        return new VersionHead(number(entry, VERSION), "TRUE".equalsIgnoreCase(value(entry, BOUND)));
    }

    static StoredRecord read(Attributes entry) throws NamingException {
        try {
            NameRecord record = new NameRecord(FieldsJson.read(value(entry, FIELDS)), number(entry, EPOCH));
            VersionHead head = head(entry);
            return new StoredRecord(new BoundName(name(entry), record, head.version()), head.isBound());
        } catch (IOException | IllegalArgumentException e) {
            throw damaged(entry, e.getMessage());
        }
    }

    private static String value(Attributes entry, String name) throws NamingException {
        Attribute attribute = entry.get(name);
        if (attribute == null || !(attribute.get() instanceof String text)) {
            throw damaged(entry, "it has no " + name + " that this user may read");
        }
        return text;
    }

    private static long number(Attributes entry, String name) throws NamingException {
        String value = value(entry, name);
        if (!value.matches("[0-9]{1,18}")) {
            throw damaged(entry, name + " is " + value + ", expected a whole number");
        }
        return Long.parseLong(value);
    }

    private static NameException damaged(Attributes entry, String why) throws NamingException {
        Attribute name = entry.get(NAME);
        return new NameException(
                NameException.Kind.UNAVAILABLE,
                "the directory's entry of " + (name == null ? "a name" : name.get()) + " is damaged: " + why + ". Correct the entry or delete it");
    }
}
