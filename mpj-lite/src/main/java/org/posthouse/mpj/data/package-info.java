/**
 * Datatypes and reductions: conversion between the elements of a program's array and a message's bytes, and folding of
 * two arrays into one. Package {@code mpi} gives these their MPI names.
 *
 * <p>Nothing here keeps state beyond one message, knows a communicator, or does input and output. The {@code mpi}
 * package and the collectives call {@link org.posthouse.mpj.data.Base}, {@link org.posthouse.mpj.data.Region} and
 * {@link org.posthouse.mpj.data.Fold}; programs never do.
 */
package org.posthouse.mpj.data;
