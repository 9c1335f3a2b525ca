package org.posthouse.mpj.coll;

import java.util.Arrays;

/**
 * One rank's place in a tree of all ranks of a communicator.
 *
 * <p>With ranks of several sites the tree has two levels. The root is the parent of one leader per other site, and each
 * site has a tree of its own below its leader. So data that go along the tree enter each site once.
 *
 * @param parent the rank above, or {@link #NONE} at the root
 * @param children the ranks below, in send order: those with the longest remaining path first
 */
@SuppressWarnings("ArrayRecordComponent") // Made and read within one collective.
record Tree(int parent, int[] children) {
    static final int NONE = -1;

    private static final int FOUR = 4;

    /** A binomial tree, two-level over sites. */
    static Tree binomial(Peers peers, int root) {
        return twoLevel(peers, root, Tree::binomialAt);
    }

    /** The root directly above all others, two-level over sites. */
    static Tree flat(Peers peers, int root) {
        return twoLevel(peers, root, Tree::flatAt);
    }

    /** A tree with up to four children everywhere, two-level over sites. */
    static Tree fourAry(Peers peers, int root) {
        return twoLevel(peers, root, Tree::fourAryAt);
    }

    /**
     * The binomial tree in plain rank order, root 0. The ranks below a rank follow it directly, and those of one child
     * precede those of the child before it in {@code children}.
     */
    static Tree ordered(Peers peers) {
        return binomialAt(peers.rank(), peers.size());
    }

    /** As {@link #ordered}, with rank 0 directly above all others. */
    static Tree orderedFlat(Peers peers) {
        return flatAt(peers.rank(), peers.size());
    }

    /** Makes the place of position {@code at} in the tree of positions 0 (the root) to {@code size} - 1. */
    private interface Shape {
        Tree at(int position, int size);
    }

    private static Tree twoLevel(Peers peers, int root, Shape shape) {
        int[] order = peers.inSiteOrder(root);
        int at = position(order, peers.rank());
        int head = at;
        while (head > 0 && peers.site(order[head - 1]) == peers.site(peers.rank())) {
            head--;
        }
        int end = at + 1;
        while (end < order.length && peers.site(order[end]) == peers.site(peers.rank())) {
            end++;
        }
        Tree local = shape.at(at - head, end - head);
        int[] children = new int[local.children.length];
        for (int i = 0; i < children.length; i++) {
            children[i] = order[head + local.children[i]];
        }
        if (at == 0) {
            return new Tree(NONE, join(leaders(peers, order, end), children));
        }
        return new Tree(local.parent == NONE ? root : order[head + local.parent], children);
    }

    /** The first ranks of all sites behind the first one, which ends at {@code from}. */
    private static int[] leaders(Peers peers, int[] order, int from) {
        int[] leaders = new int[order.length];
        int count = 0;
        for (int i = from; i < order.length; i++) {
            if (peers.site(order[i]) != peers.site(order[i - 1])) {
                leaders[count++] = order[i];
            }
        }
        return Arrays.copyOf(leaders, count);
    }

    private static Tree binomialAt(int position, int size) {
        int reach = position == 0 ? Integer.highestOneBit(Math.max(1, size)) * 2 : Integer.lowestOneBit(position);
        int[] children = new int[Integer.SIZE];
        int count = 0;
        for (int step = reach / 2; step > 0; step /= 2) {
            if (position + step < size) {
                children[count++] = position + step;
            }
        }
        return new Tree(position == 0 ? NONE : position - reach, Arrays.copyOf(children, count));
    }

    private static Tree flatAt(int position, int size) {
        int[] children = new int[position == 0 ? size - 1 : 0];
        Arrays.setAll(children, i -> size - 1 - i);
        return new Tree(position == 0 ? NONE : 0, children);
    }

    private static Tree fourAryAt(int position, int size) {
        int first = Math.min(FOUR * position + 1, size);
        int[] children = new int[Math.min(FOUR, size - first)];
        for (int i = 0; i < children.length; i++) {
            children[i] = first + i;
        }
        return new Tree(position == 0 ? NONE : (position - 1) / FOUR, children);
    }

    static int position(int[] order, int rank) {
        int at = 0;
        while (order[at] != rank) {
            at++;
        }
        return at;
    }

    private static int[] join(int[] front, int[] back) {
        int[] all = Arrays.copyOf(front, front.length + back.length);
        System.arraycopy(back, 0, all, front.length, back.length);
        return all;
    }
}
