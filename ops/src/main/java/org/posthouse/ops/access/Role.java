package org.posthouse.ops.access;

import java.util.Locale;

/** What a user of the console may do. */
public enum Role {
    /** Look at all but the lines that programs have written, and give no order. */
    VIEWER,
    /** Look, and give orders. */
    OPERATOR;

    /** As it stands in the file of users and in the API. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if no role has this word */
    public static Role of(String word) {
        for (Role role : values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        throw new IllegalArgumentException("the role is \"" + Shown.text(word) + "\", expected viewer or operator");
    }
}
