package org.posthouse.directory.names;

import com.hazelcast.nio.serialization.IdentifiedDataSerializable;

/** Creates what members send each other about names, by number. The numbers are of the factory of the group's other types, which begin with 1. */
public final class NamesTypes {
    /** The factory of all types of the group. Never reuse a number for another class: members of two releases may share a group. */
    public static final int FACTORY = 7411;

    static final int CHANGE = 3;
    static final int STORE = 4;
    static final int MERGE = 5;
    static final int BELOW = 6;
    static final int ORDER = 7;
    static final int SIZE = 8;
    static final int MERGE_QUESTION = 9;

    private NamesTypes() {}

    /** @throws IllegalArgumentException if the number is none of these */
    public static IdentifiedDataSerializable create(int typeId, NamesMajority majority) {
        return switch (typeId) {
            case CHANGE -> new NameChangeProcessor(majority);
            case STORE -> new NameStoreProcessor();
            case MERGE -> new NewestNameMergePolicy();
            case BELOW -> new NamePrefixPredicate();
            case ORDER -> new NameKeyComparator();
            case SIZE -> new StoredSize();
            case MERGE_QUESTION -> new MergeQuestion(majority.merged(), false);
            default -> throw new IllegalArgumentException("group: unknown type " + typeId + " from another member; are all relays of one release?");
        };
    }
}
